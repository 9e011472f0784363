import API
import Outbox
import Sinks
import Systemd

/// The sinks that run, and what each was made of.
struct SinkRegistry: Sendable {
  private(set) var sinks: [any Sink] = []
  private(set) var specifications: [SinkSpecification] = []

  /// Makes all that a configuration declares.
  init(_ delivery: DeliveryConfiguration, in surroundings: SinkSurroundings) throws {
    specifications = delivery.sinks.map { $0.specification(credentials: surroundings.credentials) }
    sinks = try delivery.sinks.map { try $0.make(in: surroundings) }
  }

  private init() {}

  static let empty = SinkRegistry()

  func sink(named name: String) -> (any Sink)? { sinks.first { $0.name == name } }

  /// With the sinks of another configuration: those that are the same stay, the others are made.
  ///
  /// - Parameter new: what those are made of.
  /// - Throws: why one cannot be made; the others that were are ended again.
  func renewed(
    _ delivery: DeliveryConfiguration, _ new: [SinkSpecification], _ changes: SinkChanges,
    in surroundings: SinkSurroundings
  ) async throws -> SinkRegistry {
    var registry = SinkRegistry()
    registry.specifications = new
    do {
      for declared in delivery.sinks {
        let kept = changes.kept.contains(declared.common.name)
        let before = kept ? sink(named: declared.common.name) : nil
        registry.sinks.append(try before ?? declared.make(in: surroundings))
      }
    } catch {
      await registry.endNew(changes)
      throw error
    }
    return registry
  }

  /// Ends those that were made and are not wanted.
  func endNew(_ changes: SinkChanges) async {
    for sink in sinks where !changes.kept.contains(sink.name) { await sink.stop() }
  }
}
