import CivilTime

extension Situation {
  /// Whether a reminder is switched on by its groups and has the parameters that it needs.
  package func isSwitchedOn(_ reminder: Reminder) -> Bool {
    guard settings.isOn(reminder.isEnabled) else { return false }
    if let topics = reminder.topics, topics.chosen(settings) == 0 { return false }
    return reminder.conditions.allSatisfy { $0.holds(settings) }
  }

  /// The next occurrence of a calendar reminder that its terms allow.
  func next(
    _ reminder: Reminder, _ trigger: CalendarTrigger, after cutoff: Instant, beyond floor: Int64?
  ) -> Occurrence? {
    let shifted = cutoff - reminder.offset
    guard let terms = reminder.terms else {
      return later(next(trigger, after: shifted, beyond: floor), by: reminder.offset)
    }
    var (cutoff, floor) = (shifted, floor)
    // A date passed over is one of an event: there are no more of them than the facts hold.
    while let found = next(trigger, after: cutoff, beyond: floor) {
      (cutoff, floor) = (found.planned, found.key)
      let occurrence = found.planned + reminder.offset
      guard !isHopeless(terms, from: occurrence) else { return nil }
      if allows(terms, occurrence, from: windowStart(of: found.key, trigger)) {
        return later(found, by: reminder.offset)
      }
    }
    return nil
  }

  /// An event's occurrence as late as its reminder says, if the terms allow it.
  func allowed(_ occurrence: Occurrence?, of reminder: Reminder) -> Occurrence? {
    guard let occurrence = later(occurrence, by: reminder.offset) else { return nil }
    guard let terms = reminder.terms else { return occurrence }
    let date = zone.date(at: occurrence.planned)
    let start = zone.instant(of: date, at: .midnight)
    return allows(terms, occurrence.planned, from: start) ? occurrence : nil
  }

  /// Whether a calendar reminder's occurrence that is under way is still wanted.
  func isWanted(
    _ key: Int64, planned: Instant, of reminder: Reminder, _ trigger: CalendarTrigger
  ) -> Bool {
    guard isRunning(trigger, on: key) else { return false }
    guard let terms = reminder.terms else { return true }
    return allows(terms, planned, from: windowStart(of: key, trigger))
  }

  private func later(_ occurrence: Occurrence?, by offset: TimeSpan) -> Occurrence? {
    guard var occurrence, offset > .zero else { return occurrence }
    occurrence.planned += offset
    return occurrence
  }

  // MARK: - Terms

  /// - Parameter start: from when on an event of `unless` counts.
  private func allows(_ terms: Terms, _ planned: Instant, from start: Instant) -> Bool {
    if let event = terms.from {
      guard let mark = facts.mark(event), mark.first.time < planned else { return false }
    }
    if let having = terms.having {
      guard let mark = facts.mark(having.event), mark.first.time < planned,
        mark.last.time >= planned - having.within
      else { return false }
    }
    guard !terms.unless.isEmpty, let last = facts.latest(of: terms.unless) else { return true }
    return last.time < start
  }

  /// Whether nothing that is planned at an instant or later can be allowed by what is known.
  private func isHopeless(_ terms: Terms, from planned: Instant) -> Bool {
    if let event = terms.from, facts.mark(event) == nil { return true }
    guard let having = terms.having else { return false }
    guard let mark = facts.mark(having.event) else { return true }
    return mark.last.time + having.within < planned
  }
}
