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
      guard let possible = firstPossible(terms, from: occurrence) else { return nil }
      if possible > occurrence {
        cutoff = max(cutoff, possible - reminder.offset - .milliseconds(1))
        continue
      }
      if allows(terms, occurrence, from: windowStart(of: found.key, trigger)) {
        return later(found, by: reminder.offset)
      }
    }
    return nil
  }

  /// An event's occurrence as late as its reminder says, if the terms allow it.
  func allowed(_ occurrence: Occurrence?, of reminder: Reminder) -> Occurrence? {
    guard let occurrence = later(occurrence, by: reminder.offset),
      reminder.data.isEmpty || meets(reminder.data, occurrence)
    else { return nil }
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
    if let deadline = occurrence.deadline, occurrence.planned >= deadline {
      occurrence.deadline = nil
    }
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
        mark.last.time >= planned - having.within,
        having.times == 1 || count(having, before: planned) >= having.times
      else { return false }
    }
    if let upcoming = terms.upcoming, item(upcoming, at: planned) == nil { return false }
    guard !terms.unless.isEmpty, let last = facts.latest(of: terms.unless) else { return true }
    return last.time < start
  }

  /// How often an event has happened, of those that are remembered each by itself.
  private func count(_ having: Terms.Having, before planned: Instant) -> Int {
    let range = facts.items(of: having.event)
    Work.count(range.count)
    return range.count { index in
      let time = facts.items[index].stamp.time
      return time < planned && time >= planned - having.within
    }
  }

  private func meets(_ conditions: [DataCondition], _ occurrence: Occurrence) -> Bool {
    guard let item = occurrence.item else { return false }
    return conditions.allSatisfy { $0.holds(facts.items[item].details, settings) }
  }

  /// The first instant from another on at which terms may allow something by what is known; nil if
  /// they never will.
  private func firstPossible(_ terms: Terms, from planned: Instant) -> Instant? {
    if let event = terms.from, facts.mark(event) == nil { return nil }
    if let having = terms.having {
      guard let mark = facts.mark(having.event), mark.last.time + having.within >= planned
      else { return nil }
    }
    guard let upcoming = terms.upcoming else { return planned }
    return firstUpcoming(upcoming, from: planned)
  }
}
