import API
import Outbox
import Sinks
import Systemd

/// The sinks that run, and what each was made of.
struct SinkRegistry: Sendable {
  private(set) var sinks: [any Sink] = []
  private(set) var specifications: [SinkSpecification] = []

  /// Makes the sinks of a start. One that cannot be made is reported and stays unavailable; the
  /// others run (rule S9).
  init(_ delivery: DeliveryConfiguration, in surroundings: SinkSurroundings) {
    for declared in delivery.sinks {
      add(declared, declared.specification(credentials: surroundings.credentials), surroundings)
    }
  }

  private init() {}

  static let empty = SinkRegistry()

  /// The names of the sinks that could not be made.
  var unavailable: [String] { specifications.filter(\.isUnavailable).map(\.name) }

  private mutating func add(
    _ declared: DeliveryConfiguration.DeclaredSink, _ specification: SinkSpecification,
    _ surroundings: SinkSurroundings
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

  /// With the sinks of another configuration: those that are the same stay, the others are made.
  ///
  /// - Parameter new: what those are made of.
  /// - Throws: why one cannot be made; the others that were are ended again. A sink that was
  ///   unavailable before may stay so.
  func renewed(
    _ delivery: DeliveryConfiguration, _ new: [SinkSpecification], _ changes: SinkChanges,
    in surroundings: SinkSurroundings
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

  /// Ends those that were made and are not wanted.
  func endNew(_ changes: SinkChanges) async {
    for sink in sinks where !changes.kept.contains(sink.name) { await sink.stop() }
  }
}
