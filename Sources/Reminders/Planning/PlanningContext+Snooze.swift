import CivilTime

/// What commands need to know of an occurrence, whether it is still to come or past (rule N4).
extension PlanningContext {
  /// The occurrence of a key, as long as nothing has ended it; nil if there is none.
  func wantedOccurrence(of reminder: Reminder, key: Int64) -> Occurrence? {
    guard isPlanned(reminder) else { return nil }
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: key)
    }
    guard let planned = ownInstant(of: reminder, key: key),
      isWanted(key, planned: planned, of: reminder, trigger)
    else { return nil }
    return Occurrence(key: key, planned: planned)
  }

  /// The instant for which an occurrence is planned by the facts; nil if there is no such
  /// occurrence.
  func ownInstant(of reminder: Reminder, key: Int64) -> Instant? {
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: key)?.planned
    }
    guard let date = nearDate(of: key, trigger) else { return nil }
    var time = time(of: key, trigger)
    if isSmart(reminder) { time = smartTime(on: date, declared: time).time }
    return zone.instant(of: date, at: time) + reminder.offset
  }

  /// No event speaks of a date that is further from when the recipient was first known.
  private static let daysMax = 36_600

  /// The local date of a key that may come from outside; nil if no date is near it.
  private func nearDate(of key: Int64, _ trigger: CalendarTrigger) -> LocalDate? {
    var days = key
    if case .one = trigger.times {} else { days = key / 1_440 }
    guard key >= 0, days < Self.daysMax else { return nil }
    return date(of: key, trigger)
  }

  /// When the thing begins of which a calendar reminder speaks; nil if it speaks of none.
  func upcomingInstant(_ reminder: Reminder, at planned: Instant) -> Instant? {
    guard let upcoming = reminder.terms?.upcoming,
      case .calendar(let trigger) = reminder.trigger
    else { return nil }
    let date = zone.date(at: planned - reminder.offset)
    let items = runs(trigger, of: reminder).filter { $0.contains(date) }
      .compactMap { item(upcoming, at: planned, about: $0.identifier) }
    return items.compactMap { facts.items[$0].instant(upcoming.field) }.min()
  }

  /// When what an occurrence announces begins: a trigger's deadline, or what is upcoming.
  func bound(of target: CommandTarget, _ reminder: Reminder) -> Instant? {
    target.deadline ?? upcomingInstant(reminder, at: target.own)
  }

  /// The last instant to which an occurrence can be put off: before what it announces begins, and
  /// while the gates are open. Nil if nothing limits it, or an instant is not too late.
  func latestSnooze(
    of reminder: Reminder, key: Int64, deadline: Instant?, to end: Instant
  ) -> Instant? {
    guard let deadline else { return nil }
    let last = min(end, deadline - .milliseconds(1))
    let windows = channelGroups(of: reminder, key: key).compactMap {
      forwardWindow(of: reminder, key: key, planned: last, deadline: deadline, channelGroup: $0)
    }
    let open = windows.map { $0.end - .milliseconds(1) }.min() ?? last
    return open < end ? open : nil
  }
}
