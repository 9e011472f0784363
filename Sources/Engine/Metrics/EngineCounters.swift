package import Reminders

/// What the engine counts, from its start or within one turn: plain numbers that are added to on
/// its own thread and handed out as a value.
package struct EngineCounters: Sendable {
  /// What became of one of a reminder's occurrences.
  package struct Occurrence: Hashable, Sendable {
    package var reminder: Symbol
    package var outcome: OccurrenceOutcome
  }

  /// Of the settled occurrences, how many a gate had held, or dropped.
  package struct Verdicts: Hashable, Sendable {
    package var held = 0
    package var dropped = 0
  }

  package var accepted = 0
  package var duplicates = 0
  package var refused = 0
  /// Events that were not looked at, because the disk was full or the service was stopping.
  package var unanswered = 0
  /// Rows that were removed, as they are not kept any longer.
  package var pruned = 0
  /// How late, in seconds, the turn began in which a recipient's due instant had its turn.
  package private(set) var lateness = Histogram(bounds: [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 43_200,
  ])
  package private(set) var occurrences = Counter<Occurrence>()
  /// How many deliveries sinks took, by the identifier of the reminder.
  package private(set) var deliveries = Counter<String>()
  /// By the gate's raw value.
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
    // In the inbox it has arrived.
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

  /// Adds what a turn has counted, once that is on disk.
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
  /// The gates let it out.
  case sent
  /// A sink took one of its deliveries, or it is in the inbox.
  case delivered
  case bundled, dropped, held

  package init(_ result: Firing.Result) {
    self =
      switch result {
      case .held: .held
      case .settled(.delivered): .sent
      case .settled(.bundled): .bundled
      case .settled(.dropped): .dropped
      }
  }
}
