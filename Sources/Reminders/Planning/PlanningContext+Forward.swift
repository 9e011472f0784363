import CivilTime

/// Plans occurrences with a deadline, such as the start of an appointment. They are sent before the
/// deadline or not at all (rules V10, V15).
extension PlanningContext {
  /// Returns when an occurrence is due in a channel group. It is due at its planned instant, or
  /// earlier if the gates would hold it until it is too late.
  ///
  /// - Parameter cutoff: the instant up to which all due occurrences have fired.
  func dueInstant(
    of reminder: Reminder, key: Int64, planned: Instant, deadline: Instant?,
    channelGroup: ChannelGroup,
    after cutoff: Instant
  ) -> Instant {
    guard deadline != nil, planned > cutoff,
      let window = earlyWindow(
        of: reminder, key: key, planned: planned, deadline: deadline, channelGroup: channelGroup),
      cutoff < window.end
    else { return planned }
    return max(window.start, cutoff)
  }

  /// Returns when an occurrence is due in the earliest of its channel groups.
  func dueInstant(
    of occurrence: Occurrence, of reminder: Reminder, after cutoff: Instant
  ) -> Instant {
    guard occurrence.deadline != nil else { return occurrence.planned }
    return channelGroups(of: reminder, key: occurrence.key).map {
      dueInstant(
        of: reminder, key: occurrence.key, planned: occurrence.planned,
        deadline: occurrence.deadline, channelGroup: $0, after: cutoff)
    }.min() ?? occurrence.planned
  }

  /// Returns when an occurrence in progress is due. A snoozed occurrence is never due before the
  /// end of the snooze (rule N7).
  func dueInstant(
    of entry: Progress.InProgress, of reminder: Reminder, after cutoff: Instant
  ) -> Instant {
    guard !entry.isSnoozed else { return entry.planned }
    return dueInstant(
      of: reminder, key: entry.key, planned: entry.planned, deadline: entry.deadline,
      channelGroup: entry.channelGroup, after: cutoff)
  }

  /// Returns the span in which an occurrence is sent early. The span is as long as the reminder's
  /// `early`. It ends when the gates close for the last time before the planned instant. Returns
  /// nil if an earlier instant is not needed or does not help. The occurrence is then due at its
  /// planned instant.
  func earlyWindow(
    of reminder: Reminder, key: Int64, planned: Instant, deadline: Instant?,
    channelGroup: ChannelGroup
  ) -> (start: Instant, end: Instant)? {
    let urgency = reminder.urgency ?? catalog.categories[reminder.category].urgency
    var isRestDay = restRule(reminder, urgency)
    guard
      !vacations.isEmpty || isRestDay != nil || settings.quietHours.isEnabled
        || !allowedHours.isEmpty
    else { return nil }
    let input = gateInput(
      reminder, key: key, planned: planned, deadline: deadline, channelGroup: channelGroup,
      countedDeliveries: []
    ).withoutIntervalAndCap
    if input.ignores(.calendar) { isRestDay = nil }
    let trace = Gates.decide(input, from: planned).trace
    guard trace.hasHolds, Gate.allCases.filter(trace.hasDropped) == [.expiry] else { return nil }
    let closedPeriods = ClosedPeriods(input: input, isRestDay: isRestDay)
    return closedPeriods.lastSpan(
      of: reminder.early, before: planned, since: planned - .hours(24))
  }
}

/// The periods in which the gates are closed: vacations, days of rest, quiet hours, and hours in
/// which the operator allows no channel. An instant is in a day of rest if the instant's local date
/// is a day of rest. The calendar's gate, in contrast, examines the planned local date.
private struct ClosedPeriods {
  let input: GateInput
  /// Recognizes days of rest; nil if there are none.
  let isRestDay: ((LocalDate) -> Bool)?

  /// Returns the last span before `planned` in which the gates are open; nil if there is none after
  /// `limit`. A closed period must contain `planned` or end there.
  ///
  /// - Parameter length: the length of the span. The span is shorter if the gates were open only
  ///   for a shorter time.
  func lastSpan(
    of length: TimeSpan, before planned: Instant, since limit: Instant
  ) -> (start: Instant, end: Instant)? {
    var end = start(at: planned) ?? planned
    var bound = LoopBound("closed periods")
    while end > limit, bound.countStep(), let earlier = start(at: end - .milliseconds(1)),
      earlier < end
    {
      end = earlier
    }
    guard end > limit else { return nil }
    var start = max(end - length, limit)
    while start < end, bound.countStep(), let opening = self.end(at: start), opening > start {
      start = opening
    }
    return start < end ? (start, end) : nil
  }

  /// Returns the vacation that holds or drops all occurrences at an instant.
  private func vacation(at instant: Instant) -> Vacation? {
    if case .passes = Gates.finding(.vacation, input, at: instant) { return nil }
    return input.vacation(at: instant)
  }

  private func isQuiet(_ instant: Instant) -> Bool {
    if case .holds = Gates.finding(.quietHours, input, at: instant) { true } else { false }
  }

  private func policy(at instant: Instant) -> (start: Instant, end: Instant)? {
    input.ignores(.policyHours) ? nil : input.closedByPolicy(at: instant)
  }

  private func isInRestDay(_ instant: Instant) -> Bool {
    isRestDay.map { $0(input.zone.date(at: instant)) } ?? false
  }

  /// Returns when the closed period at an instant began; nil if the gates are open.
  private func start(at instant: Instant) -> Instant? {
    if let vacation = vacation(at: instant) { return vacation.start }
    let date = input.zone.date(at: instant)
    let midnight = isInRestDay(instant) ? input.zone.instant(of: date, at: .midnight) : nil
    let window =
      isQuiet(instant) ? input.quietHours.windowStart(at: instant, in: input.zone) : nil
    return [midnight, window, policy(at: instant)?.start].compactMap { $0 }.min()
  }

  /// Returns when the cause that closes the gates at an instant ends; nil if the gates are open.
  private func end(at instant: Instant) -> Instant? {
    if let vacation = vacation(at: instant) { return vacation.end }
    if isInRestDay(instant) {
      return input.zone.end(of: input.zone.date(at: instant), after: instant)
    }
    let quietEnd =
      isQuiet(instant) ? input.quietHours.windowEnd(at: instant, in: input.zone) : nil
    return quietEnd ?? policy(at: instant)?.end
  }
}
