import Delivery

extension EngineCore {
  /// Whether recipients wait for their turn.
  package var hasWork: Bool { !due.isEmpty || !stale.isEmpty }

  /// Whether no sink has a batch that it has not answered for.
  var isQuiet: Bool { leaving.isEmpty && lanes.allSatisfy { $0.batch.isEmpty } }

  /// Whether everything that is due has been decided and taken by the sinks, and that is recorded.
  package var isHandedOver: Bool { !hasWork && lanes.allSatisfy { $0.lane.waiting == 0 } }
}
