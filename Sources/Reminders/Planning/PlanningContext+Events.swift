import CivilTime

extension PlanningContext {
  /// The one occurrence that the latest event that counts gives, if nothing has cancelled it.
  func occurrence(_ trigger: AfterTrigger) -> Occurrence? {
    guard let mark = facts.mark(trigger.event) else { return nil }
    let anchor = trigger.onlyHighest ? mark.peak?.stamp : mark.last
    guard let anchor else { return nil }
    if let limit = trigger.below, let peak = mark.peak, peak.number >= limit { return nil }
    let item = item(of: trigger.event, told: anchor)
    let identifier = item.flatMap { facts.items[$0].identifier }
    for cancellation in trigger.cancelledBy
    where isCancelled(anchor, of: identifier, by: cancellation) {
      return nil
    }
    let number = trigger.onlyHighest ? mark.peak?.number : nil
    return Occurrence(
      key: number ?? anchor.time.milliseconds,
      planned: planned(trigger.delay, after: anchor.time),
      number: number ?? self.number(trigger.delay), cause: anchor, item: item)
  }

  /// The item that an event has made, where it is still as the event said.
  private func item(of type: Symbol, told stamp: Stamp) -> Int? {
    guard !facts.items.isEmpty else { return nil }
    return facts.items.firstIndex { $0.type == type && $0.stamp == stamp }
  }

  /// What a milestone may come from in the current streak.
  func candidates(_ trigger: MilestoneTrigger) -> MilestoneCandidates {
    let start = facts.latest(of: trigger.since)
    let key = start?.time.milliseconds ?? 0
    var candidates = MilestoneCandidates()
    if let start {
      candidates.foreseen = Occurrence(
        key: key, planned: foreseen(trigger, since: start), number: trigger.days, cause: start)
    }
    if let report = report(trigger)?.stamp {
      candidates.reported = Occurrence(
        key: key, planned: report.time + trigger.delay, number: trigger.days, cause: report)
    }
    return candidates
  }

  /// When a streak will have lasted as long as a milestone asks; each freeze until then puts it
  /// off.
  private func foreseen(_ trigger: MilestoneTrigger, since start: Stamp) -> Instant {
    var end = start.time + .days(Int(trigger.days))
    guard let freeze = trigger.freeze else { return end }
    // Without an identifier they stand in the order of their stamps.
    for index in facts.items(of: freeze.event) {
      let stamp = facts.items[index].stamp
      if stamp > start, stamp.time < end { end += freeze.span.span(settings) }
    }
    return end
  }

  /// The report of a milestone in the current streak.
  private func report(_ trigger: MilestoneTrigger) -> Mark.Numbered? {
    let start = facts.latest(of: trigger.since)
    return facts.mark(trigger.reportedBy)?.report(of: trigger.days).flatMap { report in
      start.map { $0 < report.stamp } ?? true ? report : nil
    }
  }

  /// Whether who reported a milestone was in the app: then it passes quiet hours, be it planned
  /// ahead or not (rule I4).
  func isInteractive(_ trigger: MilestoneTrigger) -> Bool {
    report(trigger)?.isInteractive ?? false
  }

  func planned(_ delay: Delay, after instant: Instant) -> Instant {
    switch delay {
    case .elapsed(let span): return instant + span.span(settings)
    case .nextDate(let time):
      return zone.instant(of: zone.date(at: instant) + 1, at: time.time(settings))
    case .nextTime(let time):
      let (date, time) = (zone.date(at: instant), time.time(settings))
      let today = zone.instant(of: date, at: time)
      return today > instant ? today : zone.instant(of: date + 1, at: time)
    case .dates(let days, let time):
      return zone.instant(
        of: zone.date(at: instant) + Int(clamping: days.numbers(settings).first ?? 0),
        at: time.time(settings))
    }
  }

  /// The number of days that a message may speak of.
  func number(_ delay: Delay) -> Int64? {
    if case .dates(let days, _) = delay { days.numbers(settings).first } else { nil }
  }
}

/// A milestone as the start of the streak foresees it, and as an app has reported it since. Both
/// have the same key, for it is sent once (rule I4); what was reported while it was switched off
/// has had no turn, and the foreseen one stays.
struct MilestoneCandidates {
  var foreseen: Occurrence?
  var reported: Occurrence?

  var all: [Occurrence] { [reported, foreseen].compactMap { $0 } }

  /// The earlier of those planned after an instant.
  func next(after cutoff: Instant) -> Occurrence? {
    guard let foreseen, foreseen.planned > cutoff else {
      return reported.flatMap { $0.planned > cutoff ? $0 : nil }
    }
    guard let reported, reported.planned > cutoff else { return foreseen }
    return reported.planned < foreseen.planned ? reported : foreseen
  }
}

extension PlanningContext {
  /// The occurrence for the silence since the latest of the events, or since the recipient is
  /// known.
  func occurrence(_ trigger: IdleTrigger) -> Occurrence? {
    guard let count = trigger.count.numbers(settings).first, count > 0 else { return nil }
    let last = facts.latest(of: trigger.events)
    guard let start = last ?? facts.created else { return nil }
    let length = count * trigger.factor
    // That the recipient is known for longer than was thought is no new silence.
    return Occurrence(
      key: last?.time.milliseconds ?? 0, planned: start.time + trigger.unit * Int(length),
      number: length, cause: last)
  }
}

extension PlanningContext {
  /// Whether a reminder is switched on by its groups and has the parameters that it needs.
  package func isSwitchedOn(_ reminder: Reminder) -> Bool {
    guard settings.isOn(reminder.isEnabled) else { return false }
    if let topics = reminder.topics, topics.chosen(settings) == 0 { return false }
    return reminder.conditions.allSatisfy { $0.holds(settings) }
  }

  /// The next occurrence of a calendar reminder that its terms allow.
  func next(
    _ reminder: Reminder, _ trigger: CalendarTrigger, after cutoff: Instant, beyond floor: Int64?,
    progress: Progress
  ) -> Occurrence? {
    let shifted = cutoff - reminder.offset
    guard let terms = reminder.terms else {
      return later(next(trigger, after: shifted, beyond: floor), by: reminder.offset)
    }
    var (cutoff, floor) = (shifted, floor)
    let said = terms.having == nil ? nil : said(inPlaceOf: reminder, progress)
    // A date passed over is one of an event: there are no more of them than the facts hold.
    while let found = next(trigger, after: cutoff, beyond: floor) {
      (cutoff, floor) = (found.planned, found.key)
      let occurrence = found.planned + reminder.offset
      guard let possible = firstPossible(terms, from: occurrence) else { return nil }
      if possible > occurrence {
        cutoff = max(cutoff, possible - reminder.offset - .milliseconds(1))
        continue
      }
      if allows(terms, occurrence, from: windowStart(of: found.key, trigger)),
        isNews(terms, occurrence, but: said)
      {
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

  private func isNews(_ terms: Terms, _ planned: Instant, but said: SaidEvents?) -> Bool {
    guard let having = terms.having, let said else { return true }
    return hasNews(having, before: planned, but: said)
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
