import CivilTime

/// An occurrence of a `smart` reminder that waits for its instant.
struct SmartOccurrence {
  let reminder: Reminder
  let occurrence: Occurrence
}

extension Recipient {
  /// What is planned of `smart` reminders before an open of an earlier day, told of late, moves
  /// their hour (rule M3).
  func smartOccurrences(
    movableBy events: [Event], now: Instant, _ planner: Planner
  ) -> [SmartOccurrence] {
    guard let opening = events.lazy.filter(\.isOpening).map(\.time).min() else { return [] }
    let situation = Situation(facts: facts, planner: planner)
    let today = situation.zone.date(at: now)
    guard opening < situation.zone.instant(of: today, at: .midnight) else { return [] }
    return situation.catalog.reminders.compactMap { reminder in
      guard situation.isSmart(reminder), situation.isPlanned(reminder) else { return nil }
      return situation.next(reminder, after: progress.cutoff, progress: progress).map {
        SmartOccurrence(reminder: reminder, occurrence: $0)
      }
    }
  }

  /// Keeps what has been moved into the past at its old instant: a date whose better hour is over
  /// must not go without.
  mutating func keep(_ occurrences: [SmartOccurrence], now: Instant, _ planner: Planner) {
    guard !occurrences.isEmpty else { return }
    let situation = Situation(facts: facts, planner: planner)
    for kept in occurrences where kept.occurrence.planned > now {
      let next = situation.next(kept.reminder, after: progress.cutoff, progress: progress)
      guard next?.key != kept.occurrence.key else { continue }
      start(
        kept.occurrence, of: kept.reminder, due: kept.occurrence.planned, in: situation)
    }
  }
}

extension Event {
  fileprivate var isOpening: Bool { if case .opening = content { true } else { false } }
}
