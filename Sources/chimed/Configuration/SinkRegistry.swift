import API
import Outbox
import Sinks
import Systemd

/// The running sinks and their specifications.
struct SinkRegistry: Sendable {
  private(set) var sinks: [any Sink] = []
  private(set) var specifications: [SinkSpecification] = []

  /// Creates the sinks of a start. A sink that cannot be created is reported and stays unavailable;
  /// the others run (rule S9).
  init(_ delivery: DeliveryConfiguration, in surroundings: SinkEnvironment) {
    for declared in delivery.sinks {
      add(declared, declared.specification(credentials: surroundings.credentials), surroundings)
    }
  }

  private init() {}

  static let empty = SinkRegistry()

  /// The names of the sinks that could not be created.
  var unavailable: [String] { specifications.filter(\.isUnavailable).map(\.name) }

  private mutating func add(
    _ declared: DeliveryConfiguration.DeclaredSink, _ specification: SinkSpecification,
    _ surroundings: SinkEnvironment
  ) {
    var specification = specification
    do {
      sinks.append(try declared.make(in: surroundings))
    } catch {
      specification.isUnavailable = true
      let reason = "\(error)"
      sinks.append(
        UnavailableSink(name: declared.common.name, type: declared.type, reason: reason))
      surroundings.journal.send(
        .sinkFailing,
        "the sink \(declared.common.name) is unavailable: \(reason); its deliveries wait or use "
          + "the fallback, and a reload tries again",
        fields: [(.sink, declared.common.name), (.reason, reason)])
    }
    specifications.append(specification)
  }

  private mutating func append(_ sink: any Sink, _ specification: SinkSpecification) {
    sinks.append(sink)
    specifications.append(specification)
  }

  func sink(named name: String) -> (any Sink)? { sinks.first { $0.name == name } }

  /// Returns a registry for another configuration: unchanged sinks stay, the others are created.
  ///
  /// - Parameter new: the specifications of the new sinks.
  /// - Throws: why one cannot be created; new sinks are stopped then. A sink that was unavailable
  ///   before may stay so.
  func renewed(
    _ delivery: DeliveryConfiguration, _ new: [SinkSpecification], _ changes: SinkChanges,
    in surroundings: SinkEnvironment
  ) async throws -> SinkRegistry {
    var registry = SinkRegistry()
    do {
      for (declared, specification) in zip(delivery.sinks, new) {
        let name = declared.common.name
        if changes.kept.contains(name), let current = sink(named: name) {
          registry.append(current, specification)
        } else if unavailable.contains(name) {
          registry.add(declared, specification, surroundings)
        } else {
          registry.append(try declared.make(in: surroundings), specification)
        }
      }
    } catch {
      await registry.endNew(changes)
      throw error
    }
    return registry
  }

  /// Stops the sinks that were created but are not used.
  func endNew(_ changes: SinkChanges) async {
    for sink in sinks where !changes.kept.contains(sink.name) { await sink.stop() }
  }
}
