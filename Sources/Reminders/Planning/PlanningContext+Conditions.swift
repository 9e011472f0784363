import CivilTime

/// Evaluates the conditions of reminders, in the same way for each trigger (rule G6).
extension PlanningContext {
  /// Returns whether a reminder's groups are switched on and its parameters have the required
  /// values. If it has topics, at least one must be chosen.
  package func isSwitchedOn(_ reminder: Reminder) -> Bool {
    guard settings.isOn(reminder.groupSwitch) else { return false }
    if let topics = reminder.topics, topics.chosen(settings) == 0 { return false }
    return reminder.conditions.allSatisfy { $0.holds(settings) }
  }

  /// Returns an occurrence that follows an event, moved by the reminder's offset. Returns nil if a
  /// condition of the reminder does not allow the occurrence, or if the recipient has muted its
  /// entity.
  func allowed(_ occurrence: Occurrence?, of reminder: Reminder) -> Occurrence? {
    guard let occurrence = shifted(occurrence, by: reminder.offset),
      reminder.data.isEmpty || meets(reminder.data, occurrence),
      reminder.recipientRole.map({ accepts(occurrence, as: $0) }) ?? true
    else { return nil }
    let identifier = identifier(of: occurrence, reminder)
    guard !sendsNothing(reminder, about: identifier) else { return nil }
    guard let terms = reminder.terms else { return occurrence }
    let days = LocalDays(begin: terms.dayBegins.time(settings), zone: zone)
    let context = ConditionContext(
      identifier: identifier,
      planned: occurrence.planned, start: days.start(of: occurrence.planned), followsEvent: true)
    return allows(terms, context) ? occurrence : nil
  }

  /// Returns the identifier of the entity that an occurrence is about; nil if the event that it
  /// follows has none.
  private func identifier(of occurrence: Occurrence, _ reminder: Reminder) -> String? {
    guard let item = occurrence.item.map({ facts.items[$0] }) else { return nil }
    guard case .after(let trigger) = reminder.trigger else { return item.identifier }
    return trigger.identifier(of: item)
  }

  /// Returns whether the series and the terms of a calendar reminder still allow a due occurrence.
  /// Terms are the conditions `from`, `having`, `unless` and `upcoming`.
  func isStillAllowed(
    _ key: Int64, planned: Instant, of reminder: Reminder, _ trigger: CalendarTrigger
  ) -> Bool {
    let date = date(of: key, trigger)
    let runs = runs(trigger, of: reminder).filter { date >= $0.first }
    return isAllowed(runs, key, planned: planned, of: reminder, trigger)
  }

  /// Returns whether the terms allow a calendar reminder's occurrence for at least one run. A run
  /// has the dates since one start of the reminder's series.
  func isAllowed(
    _ runs: [SeriesRun], _ key: Int64, planned: Instant, of reminder: Reminder,
    _ trigger: CalendarTrigger
  ) -> Bool {
    guard let terms = reminder.terms else { return !runs.isEmpty }
    return runs.contains { run in
      let start = windowStart(of: key, trigger, terms) { date in
        RunningDates(
          chosen: trigger.days.dates(settings), runs: [run], moves: restMoves(of: reminder)
        ).contains(date)
      }
      return allows(
        terms, ConditionContext(identifier: run.identifier, planned: planned, start: start))
    }
  }

  /// Returns whether the terms allow an occurrence of a plan.
  func isAllowed(
    _ run: PlanRun, _ key: PlanKey, planned: Instant, of reminder: Reminder
  ) -> Bool {
    guard let terms = reminder.terms else { return true }
    let start = run.windowStart(of: key, daysBegin: terms.dayBegins.time(settings))
    return allows(
      terms, ConditionContext(identifier: run.identifier, planned: planned, start: start))
  }

  /// Returns the first instant, at or after `planned`, at which the terms may allow an occurrence
  /// of a plan. Returns nil if the current facts allow no instant.
  func firstPossible(_ reminder: Reminder, _ run: PlanRun, from planned: Instant) -> Instant? {
    guard let terms = reminder.terms else { return planned }
    return firstPossible(terms, about: run.identifier, from: planned)
  }

  private func shifted(_ occurrence: Occurrence?, by offset: Offset) -> Occurrence? {
    guard var occurrence, offset != .zero else { return occurrence }
    occurrence.planned = offset.instant(after: occurrence.planned, in: zone)
    if let deadline = occurrence.deadline, occurrence.planned >= deadline {
      occurrence.deadline = nil
    }
    return occurrence
  }

  private func hasUnsentEvents(
    _ terms: Terms, _ planned: Instant, except sent: SentEvents?
  ) -> Bool {
    guard let having = terms.having, let sent else { return true }
    return hasUnsentEvents(having, before: planned, except: sent)
  }

  // MARK: - Terms

  /// An occurrence and its entity, for which terms are evaluated.
  private struct ConditionContext {
    /// The identifier of the occurrence's entity; nil if it has none.
    var identifier: String?
    var planned: Instant
    /// The instant from which events of `unless` count.
    var start: Instant
    /// Whether the occurrence follows an event, so that a report at its planned instant counts. For
    /// a calendar reminder, such a report belongs to the next occurrence.
    var followsEvent = false
  }

  private func allows(_ terms: Terms, _ context: ConditionContext) -> Bool {
    if let from = terms.from, !hasHappened(from, before: context.planned, context) { return false }
    if let having = terms.having, !meets(having, context) { return false }
    if let upcoming = terms.upcoming,
      item(upcoming, at: context.planned, about: context.identifier) == nil
    {
      return false
    }
    let last = facts.latest(terms.unless, about: context.identifier)
    return last.map { $0.time < context.start } ?? true
  }

  /// Returns whether an event has happened before an instant. For an entity, a report after the
  /// instant counts too. Only the latest report is known, and an earlier one may have preceded the
  /// instant.
  private func hasHappened(
    _ condition: EventCondition, before limit: Instant, _ context: ConditionContext
  ) -> Bool {
    guard let first = facts.earliest(condition, about: context.identifier) else { return false }
    return condition.isPerEntity && context.identifier != nil || first.time < limit
  }

  private func meets(_ having: Terms.Having, _ context: ConditionContext) -> Bool {
    let limit = context.planned + .milliseconds(context.followsEvent ? 1 : 0)
    guard hasHappened(having.event, before: limit, context),
      let last = facts.latest(having.event, about: context.identifier),
      last.time >= context.planned - having.within
    else { return false }
    return having.times == 1 || count(having, until: limit, context) >= having.times
  }

  /// Returns how often an event happened within the span, among the events that are remembered
  /// individually.
  private func count(_ having: Terms.Having, until limit: Instant, _ context: ConditionContext)
    -> Int
  {
    let range = facts.items(of: having.event.event)
    Work.count(range.count)
    return range.count { index in
      let time = facts.items[index].stamp.time
      return time < limit && time >= context.planned - having.within
    }
  }

  private func meets(_ conditions: [DataCondition], _ occurrence: Occurrence) -> Bool {
    guard let item = occurrence.item else { return false }
    return conditions.allSatisfy { $0.holds(facts.items[item].details, settings) }
  }

  /// Returns the next occurrence of a calendar reminder that its terms allow.
  ///
  /// - Parameter floor: the key that the occurrence's key must exceed; nil for any key.
  func next(
    _ reminder: Reminder, _ trigger: CalendarTrigger, after cutoff: Instant, beyond floor: Int64?,
    progress: Progress
  ) -> Occurrence? {
    let (dates, offset) = (dates(trigger, of: reminder), reminder.offset)
    var (start, floor) = (offset.earliestBase(after: cutoff, in: zone), floor)
    let sent = reminder.terms?.having.flatMap { _ in sentEvents(insteadOf: reminder, progress) }
    let pick = trigger.times.picked.flatMap { latestPick($0, progress) }
    // The terms skip at most one date for each event. So there are at most as many steps as events
    // in the facts.
    var bound = LoopBound("dates that conditions skip")
    while bound.countStep(),
      var found = next(trigger, on: dates, after: start, beyond: floor, apartFrom: pick)
    {
      (start, floor) = (found.planned, found.key)
      if offset != .zero { found.planned = instant(of: found.key, trigger, by: offset) }
      guard found.planned > cutoff else { continue }
      guard let terms = reminder.terms else { return found }
      guard let possible = firstPossible(terms, dates.runs, from: found.planned) else { return nil }
      if possible > found.planned {
        start = max(start, offset.earliestBase(after: possible - .milliseconds(1), in: zone))
        continue
      }
      let runs = dates.runs(on: date(of: found.key, trigger))
      if isAllowed(runs, found.key, planned: found.planned, of: reminder, trigger),
        hasUnsentEvents(terms, found.planned, except: sent)
      {
        return found
      }
    }
    return nil
  }

  /// Returns the first instant, at or after `planned`, at which the terms may allow an occurrence
  /// for one of the runs. Returns nil if the current facts allow no instant.
  private func firstPossible(
    _ terms: Terms, _ runs: [SeriesRun], from planned: Instant
  ) -> Instant? {
    runs.compactMap { firstPossible(terms, about: $0.identifier, from: planned) }.min()
  }

  private func firstPossible(
    _ terms: Terms, about identifier: String?, from planned: Instant
  ) -> Instant? {
    if let from = terms.from, facts.earliest(from, about: identifier) == nil { return nil }
    if let having = terms.having {
      guard let last = facts.latest(having.event, about: identifier),
        last.time + having.within >= planned
      else { return nil }
    }
    guard let upcoming = terms.upcoming else { return planned }
    return firstUpcoming(upcoming, about: identifier, from: planned)
  }
}
