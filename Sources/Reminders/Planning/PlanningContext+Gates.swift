package import CivilTime
import Holidays

extension PlanningContext {
  /// Returns the input of the gates for an occurrence in one channel group.
  ///
  /// - Parameters:
  ///   - deadline: the instant that the occurrence announces, if there is one (rule V10).
  ///   - countedDeliveries: the deliveries that count towards minimum interval and cap, ascending.
  package func gateInput(
    _ reminder: Reminder, key: Int64, planned: Instant, deadline: Instant? = nil,
    channelGroup: ChannelGroup,
    countedDeliveries: [Instant]
  ) -> GateInput {
    Work.countStep()
    let category = catalog.categories[reminder.category]
    let wanted = channels(of: reminder, key: key)
    let urgency = reminder.urgency ?? category.urgency
    var input = GateInput(
      planned: planned, expires: lifetime(of: reminder, key: key), urgency: urgency,
      isRepeating: reminder.isRepeating,
      isMasterOn: settings.isOn(.master) || category.isAlwaysOn,
      isCategoryOn: !wanted.isEmpty, zone: zone, quietHours: settings.quietHours)
    input.quietAction = category.quietAction
    input.capAction = category.capAction
    input.isReachable =
      wanted.isEmpty || !reach(of: reminder, key: key).isDisjoint(with: channelGroup.channels)
    input.pushAbsence = pushAbsence(of: reminder, key: key, channelGroup: channelGroup)
    if !allowedHours.isEmpty {
      input.policyHours = closedHours(of: reminder, key: key, channelGroup)
    }
    input.vacationAction = reminder.vacationAction(in: category)
    input.vacations = vacations
    input.deadline = deadline
    input.dayStart = settings.time(BuiltInSetting.dayStart.rawValue)
    input.rest = rest(reminder, key, urgency, planned: planned)
    input.isInterrupting = channelGroup.isInterrupting
    // If the collection is after the deadline, the e-mail is sent at its planned instant.
    if channelGroup == .collected, let collection = collection(after: planned),
      deadline.map({ collection < $0 }) ?? true
    {
      input.collection = collection
      input.expires = collection - planned + input.expires
    }
    if case .request = reminder.trigger {
      input.isInteractive = facts.request(key)?.isInteractive ?? false
    } else if case .milestone(let trigger) = reminder.trigger {
      input.isInteractive = isInteractive(trigger)
    }
    input.minimumInterval = settings.minimumInterval
    input.capPerDay = settings.capPerDay
    input.countedDeliveries = countedDeliveries
    if input.isCounted { input.policyCaps = policyCaps(of: category) }
    if let exemption, exemption.occurrence == OccurrenceInGroup(reminder.symbol, key, channelGroup)
    {
      input.ignoredGates = exemption.gates
    }
    input.stopExpiryAsPlanned()
    return input
  }

  /// Returns the input for an occurrence in progress.
  func gateInput(_ entry: Progress.InProgress, of reminder: Reminder, countedDeliveries: [Instant])
    -> GateInput
  {
    var input = gateInput(
      reminder, key: entry.key, planned: entry.planned, deadline: entry.deadline,
      channelGroup: entry.channelGroup, countedDeliveries: countedDeliveries)
    input.setExpiryPause(of: entry)
    input.wasHeldByVacation = entry.holds.hasHeld(.vacation)
    input.cappedOn = entry.cappedOn
    input.isCappedByPolicy = entry.holds.hasHeld(.policyCap) && !entry.holds.hasHeld(.dailyCap)
    // A cap that made a member of a digest wait does not drop this member later (rule V20).
    if entry.cappedOn != nil, entry.holds.hasHeld(.policyCap) { input.capAction = .hold }
    // The recipient has chosen the end of the snooze instead of the collection.
    if entry.isSnoozed, let collection = input.collection {
      input.collection = nil
      input.expires = input.expires - (collection - entry.planned)
    }
    return input
  }

  /// Stops the expiry of an occurrence in progress during a vacation (rule V4). The stop begins
  /// with the vacation, even if the event that began or changed the vacation was handled late.
  func pauseExpiry(_ entry: inout Progress.InProgress, by input: GateInput, at now: Instant) {
    let instant = min(now, entry.due)
    for vacation in input.vacations(endedBy: instant) {
      let since = max(entry.planned, vacation.start, entry.expiryPauseEnd ?? entry.planned)
      if since < vacation.release { entry.pauseExpiry(from: since, until: vacation.release) }
    }
    let vacation = input.vacation(stoppingExpiryAt: instant)
    let isOver = entry.expiryPauseEnd.map { $0 <= instant } ?? false
    guard let change = vacation?.start ?? facts.vacationChange, vacation != nil || !isOver else {
      return entry.pauseExpiry(from: instant, until: nil)
    }
    var since = min(instant, max(entry.planned, change))
    if isOver, let end = entry.expiryPauseEnd { since = max(since, end) }
    entry.pauseExpiry(from: since, until: vacation?.release)
  }

  /// Returns the input of the gates before another attempt (rule V7). It has no minimum interval
  /// and no cap, because these have already counted the delivery. Returns nil if the delivery's
  /// category is no longer declared.
  func gateInput(retrying delivery: Delivery) -> GateInput? {
    let index = catalog.categories.firstIndex { $0.name == delivery.category }
    guard let index else { return nil }
    let category = catalog.categories[index]
    let reminder = catalog.reminder(Symbol(delivery.reminder))
    let channels =
      reminder.map { entityChannels(of: $0, key: delivery.key) ?? self.channels(of: $0) }
      ?? categoryChannels[index]
    let lifetime = TimeSpan(
      milliseconds: delivery.expiry.milliseconds - delivery.planned.milliseconds)
    var input = GateInput(
      planned: delivery.planned, expires: lifetime, urgency: catalog.urgency(of: delivery),
      isRepeating: reminder?.isRepeating ?? false,
      isMasterOn: settings.isOn(.master) || category.isAlwaysOn,
      isCategoryOn: !channels.isEmpty && permits(delivery.channel, of: category, for: delivery),
      zone: zone, quietHours: settings.quietHours)
    input.quietAction = category.quietAction
    input.isReachable = !unreachable.contains(ChannelSet(delivery.channel))
    input.vacationAction = reminder?.vacationAction(in: category) ?? category.vacationAction
    input.vacations = vacations
    input.isExpiryFixed = true
    if !allowedHours.isEmpty {
      input.policyHours =
        closedHours(of: delivery.channel, category, input.urgency).map { [$0] } ?? []
    }
    input.isInterrupting = delivery.channel != .inapp
    return input
  }

  /// Returns how long after its planned instant an occurrence may be sent.
  func lifetime(of reminder: Reminder, key: Int64) -> TimeSpan {
    guard case .request = reminder.trigger, let request = facts.request(key) else {
      return reminder.expires
    }
    return request.expires
  }

  // MARK: - Calendar

  /// Returns the effect of days of rest on an occurrence. On a day of rest, an occurrence of a
  /// repeating reminder is dropped; other occurrences wait for the next date.
  private func rest(
    _ reminder: Reminder, _ key: Int64, _ urgency: Urgency, planned: Instant
  ) -> Rest {
    guard let rule = restRule(reminder, urgency) else { return .none }
    let date = plannedDate(reminder, key, planned)
    guard rule(date) else { return .none }
    if reminder.isRepeating { return .drops }
    // If all seven days are days of rest, the occurrence is held for a year and expires.
    let next = (1...366).first { !rule(date + $0) && zone.hasDate(date + $0) } ?? 366
    return .holds(until: settings.dayStart(on: date + next, in: zone))
  }

  /// Returns the local date for which an occurrence was planned. It does not depend on the
  /// recipient's current zone if the reminder repeats and has no offset.
  private func plannedDate(_ reminder: Reminder, _ key: Int64, _ planned: Instant) -> LocalDate {
    guard reminder.offset == .zero, let date = repeatingDate(of: key, reminder) else {
      return zone.date(at: planned)
    }
    return date
  }

  /// Returns a function that recognizes days of rest; nil if there are none. For critical
  /// occurrences there are none (rule V3).
  func restRule(_ reminder: Reminder, _ urgency: Urgency) -> (@Sendable (LocalDate) -> Bool)? {
    guard urgency < .critical else { return nil }
    let rules = reminder.calendar
    let skipsWeekends = settings.isOn(.skipWeekends) || rules?.weekends.isOn(settings) ?? false
    let skipsHolidays = settings.isOn(.skipHolidays) || rules?.holidays.isOn(settings) ?? false
    var days = rules?.days.bits(settings) ?? 0
    if skipsWeekends { days |= settings[.weekend] }
    guard days != 0 || skipsHolidays else { return nil }
    return { [days] date in
      days & date.weekday.bit != 0 || (skipsHolidays && self.isHoliday(date))
    }
  }

  /// Returns whether a date is a holiday in the recipient's region. If the region is unknown, only
  /// the operator's own days count.
  private func isHoliday(_ date: LocalDate) -> Bool {
    guard let holidays = planner.holidays else { return false }
    let region = facts.profile(.holidays)
    let calendar = region.flatMap { try? holidays.calendar(of: $0) } ?? holidays.everywhere
    return calendar.contains(date)
  }
}

extension Reminder {
  /// The action in a vacation. A message about another person is of no use after the vacation, so
  /// the vacation drops the message instead of holding it.
  fileprivate func vacationAction(in category: Category) -> VacationAction {
    recipientRole != nil && category.vacationAction == .hold ? .drop : category.vacationAction
  }
}
