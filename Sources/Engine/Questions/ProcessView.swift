import Store
import Systemd

/// The state of the process around an engine, for status and metrics. Thread-safe.
struct ProcessView: Sendable {
  let heartbeats: Heartbeats
  let board: StatusBoard
  let tracer: Tracer?
  /// The node's state in its fleet; nil without a fleet.
  let fleetStatus: (@Sendable () -> FleetStatus)?

  init(_ configuration: Engine.Configuration) {
    heartbeats = configuration.heartbeats
    board = configuration.board
    tracer = configuration.tracer
    fleetStatus = configuration.fleetStatus
  }

  /// Adds the progress of the process's parts, the node's own state and the faults of the last
  /// reload.
  func complete(_ status: inout ServiceStatus) {
    status.parts = heartbeats.ages(at: .now).map {
      ServiceStatus.Part(
        name: $0.name, secondsWithoutProgress: $0.age / .seconds(1),
        allowance: $0.allowance / .seconds(1), isVital: $0.isVital)
    }
    complete(&status.fleet)
    status.reloadFailure = board.remark(on: StatusBoard.reload)
    let outdated = board.remark(on: StatusBoard.outdatedSinks)
    status.outdatedSinks = (outdated ?? "").split(separator: "\n").map(String.init)
  }

  /// Adds the progress of the process's parts, the node's own state, the result of the last reload
  /// and the counts of spans.
  func complete(_ metrics: inout ServiceMetrics) {
    metrics.spans = tracer?.exporter.counts
    metrics.isReloadRejected = board.remark(on: StatusBoard.reload) != nil
    // A sink that is being replaced and its successor have the same name.
    let ages = Dictionary(
      heartbeats.ages(at: .now).map { ($0.name, $0.age / .seconds(1)) }, uniquingKeysWith: max)
    metrics.parts = ages.sorted { $0.key < $1.key }.map(ServiceMetrics.Part.init)
    complete(&metrics.fleet)
  }

  /// Adds the node's own state, if the engine belongs to a fleet.
  func complete(_ fleet: inout FleetOverview?) {
    if let status = fleetStatus?() { fleet?.status = status }
  }
}
