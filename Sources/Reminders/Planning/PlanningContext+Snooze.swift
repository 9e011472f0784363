import CivilTime

/// Finds past and future occurrences for commands (rules N4, N7, N8).
extension PlanningContext {
  /// Returns the occurrence with a key; nil if the reminder plans none, such as after its series
  /// has ended.
  func wantedOccurrence(of reminder: Reminder, key: Int64) -> Occurrence? {
    guard isPlanned(reminder) else { return nil }
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: key)
    }
    guard let planned = unsnoozedInstant(of: reminder, key: key),
      isStillAllowed(key, planned: planned, of: reminder, trigger)
    else { return nil }
    return Occurrence(key: key, planned: planned)
  }

  /// Returns a future occurrence of a repeating reminder, which need not be the next one of its
  /// series. Returns nil if the occurrence is finished, cancelled or in progress, or further ahead
  /// than `limit`.
  ///
  /// - Parameter limit: the maximum span to the occurrence; nil for one that is known to be
  ///   planned.
  func laterDate(
    of reminder: Reminder, key: Int64, progress: Progress,
    within limit: TimeSpan? = Recipient.aheadMax
  ) -> Occurrence? {
    guard reminder.isRepeating,
      let planned = wantedOccurrence(of: reminder, key: key)?.planned,
      planned > progress.cutoff, limit.map({ planned - progress.cutoff <= $0 }) ?? true
    else { return nil }
    var item: Int?
    if case .plan(let trigger) = reminder.trigger {
      item = run(trigger, of: reminder, key: key)?.item
    }
    let found = next(
      reminder, item: item, after: planned - .milliseconds(1), progress: progress)
    return found?.key == key ? found : nil
  }

  /// Returns the instant for which the facts plan an occurrence, without a snooze; nil if there is
  /// no occurrence with the key.
  func unsnoozedInstant(of reminder: Reminder, key: Int64) -> Instant? {
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: key)?.planned
    }
    return isNear(key, trigger) ? instant(of: key, trigger, by: reminder.offset) : nil
  }

  /// The limit of days since 1970 in a key: a date in 2070.
  private static let daysMax = 36_600

  /// Returns whether a key, which may come from a client, has a date in range.
  private func isNear(_ key: Int64, _ trigger: CalendarTrigger) -> Bool {
    var days = key
    if case .one = trigger.times {} else { days = key / 1_440 }
    return key >= 0 && days < Self.daysMax
  }

  /// Returns the instant of the upcoming entity that a calendar reminder announces; nil if it
  /// announces none.
  func upcomingInstant(_ reminder: Reminder, key: Int64, at planned: Instant) -> Instant? {
    guard let upcoming = reminder.terms?.upcoming,
      case .calendar(let trigger) = reminder.trigger
    else { return nil }
    let items = runs(
      of: key, planned: planned, among: runs(trigger, of: reminder), reminder, trigger
    ).compactMap { item(upcoming, at: planned, about: $0.identifier) }
    return items.compactMap { facts.items[$0].instant(upcoming.field) }.min()
  }

  /// Returns the instant that an occurrence announces: the deadline of its trigger, or the instant
  /// of the upcoming entity.
  func announcedInstant(of target: CommandTarget, _ reminder: Reminder) -> Instant? {
    target.deadline ?? upcomingInstant(reminder, key: target.key, at: target.unsnoozedInstant)
  }

  /// Returns the last instant to which an occurrence can be snoozed, if that is before `end`;
  /// otherwise nil. The result is before the instant that the occurrence announces, and the gates
  /// let the occurrence pass then.
  ///
  /// - Parameter end: the instant to which the recipient wants to snooze the occurrence.
  func latestSnooze(
    of reminder: Reminder, key: Int64, deadline: Instant?, to end: Instant
  ) -> Instant? {
    guard let deadline else { return nil }
    let last = min(end, deadline - .milliseconds(1))
    let windows = channelGroups(of: reminder, key: key).compactMap {
      earlyWindow(of: reminder, key: key, planned: last, deadline: deadline, channelGroup: $0)
    }
    let latest = windows.map { $0.end - .milliseconds(1) }.min() ?? last
    return latest < end ? latest : nil
  }
}
