package import Reminders

/// The engine's counters, since its start or within one engine cycle. They change on the engine's
/// thread; other threads get copies.
package struct EngineCounters: Sendable {
  /// An outcome of a reminder's occurrences.
  package struct Occurrence: Hashable, Sendable {
    package var reminder: Symbol
    package var outcome: OccurrenceOutcome
  }

  /// The number of finished occurrences that a gate held or dropped.
  package struct Verdicts: Hashable, Sendable {
    package var held = 0
    package var dropped = 0
  }

  /// Accepted events.
  package var accepted = 0
  /// Events that were accepted before, so that nothing changed.
  package var duplicates = 0
  /// Rejected events.
  package var refused = 0
  /// Events that were neither accepted nor rejected, for example because the disk was full, or
  /// because another node owned the recipient.
  package var unanswered = 0
  /// Rows removed because their retention has passed.
  package var pruned = 0
  /// Seconds from a recipient's due instant to the start of the cycle that fired it.
  package private(set) var lateness = Histogram(bounds: [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 43_200,
  ])
  /// Fired occurrences, by reminder and outcome. A run of missed occurrences counts each of them.
  package private(set) var occurrences = Counter<Occurrence>()
  /// Deliveries accepted by sinks, by the reminder's identifier.
  package private(set) var deliveries = Counter<String>()
  /// The verdicts of each gate; the index is its raw value.
  package private(set) var verdicts = Array(repeating: Verdicts(), count: Gate.allCases.count)

  package init() {}

  mutating func count(_ receipt: Receipt) {
    switch receipt {
    case .accepted: accepted += 1
    case .duplicate: duplicates += 1
    case .refused: refused += 1
    case .elsewhere: unanswered += 1
    }
  }

  mutating func count(lateness seconds: Double) {
    lateness.observe(seconds)
  }

  mutating func count(_ firing: Firing) {
    let outcome = OccurrenceOutcome(firing.result)
    let count = firing.trace.runLength
    occurrences.add(Occurrence(reminder: firing.reminder, outcome: outcome), count)
    // An in-app delivery is complete without a sink.
    if outcome == .sent, firing.channels.contains(ChannelSet(.inapp)) {
      occurrences.add(Occurrence(reminder: firing.reminder, outcome: .delivered))
    }
    guard outcome != .held, !firing.trace.isClear else { return }
    for gate in Gate.allCases {
      if firing.trace.hasHeld(gate) { verdicts[Int(gate.rawValue)].held += count }
      if firing.trace.hasDropped(gate) { verdicts[Int(gate.rawValue)].dropped += count }
    }
  }

  mutating func count(deliveries counts: [String: Int]) {
    for (reminder, count) in counts { deliveries.add(reminder, count) }
  }

  /// Adds the counts of a committed cycle.
  mutating func add(_ other: EngineCounters) {
    accepted += other.accepted
    duplicates += other.duplicates
    refused += other.refused
    unanswered += other.unanswered
    lateness.add(other.lateness)
    occurrences.add(other.occurrences)
    deliveries.add(other.deliveries)
    for gate in verdicts.indices {
      verdicts[gate].held += other.verdicts[gate].held
      verdicts[gate].dropped += other.verdicts[gate].dropped
    }
  }
}

/// The counted outcomes of an occurrence.
package enum OccurrenceOutcome: String, CaseIterable, Sendable {
  /// The occurrence passed the gates.
  case sent
  /// A sink accepted one of the occurrence's deliveries, or the inbox contains it.
  case delivered
  /// The occurrence is part of a digest, was dropped, or is held.
  case bundled, dropped, held

  package init(_ result: Firing.Result) {
    self =
      switch result {
      case .held: .held
      case .finished(.delivered): .sent
      case .finished(.bundled): .bundled
      case .finished(.dropped): .dropped
      }
  }
}
