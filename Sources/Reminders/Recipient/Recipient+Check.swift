import CivilTime

extension Recipient {
  /// Refuses a valid event that this recipient cannot accept:
  ///
  /// - quiet hours whose start and end would become equal (rule P7);
  /// - caps that are looser than the operator's (rule V18);
  /// - settings of more entities than are allowed (rule P10);
  /// - an announced vacation beyond the limit, and the cancellation of one that was never
  ///   announced (rule V16);
  /// - a cancellation of an occurrence that is not pending, or a resumption of one that is not
  ///   cancelled;
  /// - a snooze of an occurrence that is neither pending nor delivered, or a snooze that ends too
  ///   early (rule N7) or too late (rule N8);
  /// - a request, an entity or a plan beyond its limit (rule H12);
  /// - a relation beyond its limit (rule E12).
  package func check(_ event: Event, planner: Planner) throws(Refusal) {
    try check([event], planner: planner)
  }

  /// Refuses all events if this recipient cannot accept one of them. Each event is checked as if
  /// the others were not reported.
  package func check(_ events: [Event], planner: Planner) throws(Refusal) {
    var finder = TargetFinder(self, planner)
    for event in events { try check(event, &finder, planner) }
  }

  /// - Parameter finder: a finder for this recipient.
  func check(
    _ event: Event, _ finder: inout TargetFinder, _ planner: Planner
  ) throws(Refusal) {
    switch event.content {
    case .preferences(let changes): try checkSettings(changes, event, planner)
    case .cancellation(let reminder, let key, isSeries: false):
      if finder.targets(of: event).isEmpty { throw notPending(reminder, key, &finder) }
    case .cancellation(let reminder, let key?, isSeries: true):
      if seriesExtent(of: event, planner)?.entities?.isEmpty == true {
        throw notPending(reminder, key, &finder)
      }
    case .resumption: try checkResumption(event, planner)
    case .snooze: try checkSnooze(event, &finder)
    case .request: try checkRequestLimit(for: event.identity)
    // Copies are never refused, because no app would get the refusal.
    case .relation(let change) where planner.catalog.event(event.type)?.isCopy != true:
      try facts.check(change)
    case .report:
      guard planner.catalog.mayExceedLimit(event, itemCount: facts.items.count) else { return }
      try entityLimit(planner).check(event, of: facts, planner)
    default: break
    }
  }

  /// Refuses a requested notification beyond the limit of pending requests (rule H12). A request
  /// that was cancelled before it arrived is accepted.
  ///
  /// - Parameter others: the number of requested notifications that arrived in the same HTTP
  ///   request.
  func checkRequestLimit(for identity: EventIdentity, beside others: Int = 0) throws(Refusal) {
    let count = facts.requests.count + others
    guard count >= Facts.requestsMax, facts.cancelledRequest(of: identity) == nil else { return }
    throw Refusal(
      .overfull, path: "subject",
      "has \(count) pending requested notifications; at most \(Facts.requestsMax) are allowed; "
        + "send the event again when some were sent, or cancel some with notification.cancelled")
  }

  private func checkSettings(
    _ changes: [SettingChange], _ event: Event, _ planner: Planner
  ) throws(Refusal) {
    try checkVacations(changes, event, planner)
    if changes.contains(where: { $0.entity != nil }) {
      try checkEntityCount(after: event, in: planner.catalog.settings)
    }
    try planner.catalog.settings.check(changes)
    let times = [BuiltInSetting.quietStart, .quietEnd].map { Symbol($0.path) }
    guard changes.contains(where: { times.contains($0.path) }) else { return }
    let settings = Settings(
      schema: planner.catalog.settings, registers: facts(after: event).settings)
    if settings[.quietStart] == settings[.quietEnd] { throw Refusal.equalQuietHours }
  }

  /// Refuses an announced vacation beyond the limit, and the cancellation of one that was never
  /// announced (rule V16).
  private func checkVacations(
    _ changes: [SettingChange], _ event: Event, _ planner: Planner
  ) throws(Refusal) {
    let announcements = changes.compactMap(\.announcement)
    guard !announcements.isEmpty else { return }
    let path = isDocument(event) ? "data.\(PreferencesShape.announced)" : "data.from"
    let zone = planner.zone(of: facts)
    try facts.checkCancellations(announcements, at: path, in: zone)
    let today = LocalDate(daysSinceEpoch: Int(event.time.milliseconds / 86_400_000))
    try facts.checkVacationCount(after: facts(after: event), at: path, today: today, in: zone)
  }

  /// Returns the facts as they would be after an event.
  private func facts(after event: Event) -> Facts {
    var folded = facts
    folded.fold(event, order: .max, memory: nil)
    return folded
  }

  /// Refuses settings of more entities than are allowed (rule P10).
  private func checkEntityCount(
    after event: Event, in schema: SettingsSchema
  ) throws(Refusal) {
    let folded = facts(after: event)
    let count = folded.configuredEntityCount(in: schema)
    guard count > EntitySetting.countMax, count > facts.configuredEntityCount(in: schema) else {
      return
    }
    throw Refusal(
      .overfull, path: "data.reminders",
      "has settings of \(count) entities; at most \(EntitySetting.countMax) are allowed; set "
        + "those of another entity to null")
  }

  /// Whether the event contains a preferences document.
  private func isDocument(_ event: Event) -> Bool { event.type == "preferences.updated" }

  /// Refuses a snooze without a pending or delivered occurrence. Refuses also a snooze to an
  /// instant before `CommandTarget.earliest` (rule N7), and one that ends too late (rule N8).
  private func checkSnooze(_ event: Event, _ finder: inout TargetFinder) throws(Refusal) {
    guard case .snooze(let reminder, let key, let snooze, let isDelivered) = event.content else {
      return
    }
    let targets = finder.targets(of: event)
    guard !targets.isEmpty else {
      throw isDelivered ? notDelivered(key) : notPending(reminder, key, &finder)
    }
    for target in targets {
      try checkEarliest(snooze, of: target)
      try checkLatest(snooze, of: target, in: finder.context)
    }
  }

  private func checkEarliest(_ snooze: Snooze, of target: CommandTarget) throws(Refusal) {
    guard case .until(let instant) = snooze, instant < target.earliest else { return }
    throw Refusal(
      path: snooze.path,
      "is before \(target.earliest), the earliest possible instant; choose a later one")
  }

  /// Refuses a snooze that ends too late for the occurrence to be sent before the instant that it
  /// announces (rule N8).
  private func checkLatest(
    _ snooze: Snooze, of target: CommandTarget, in context: PlanningContext
  ) throws(Refusal) {
    guard let reminder = context.catalog.reminder(target.reminder) else { return }
    let end = snooze.end(of: target)
    let deadline = context.announcedInstant(of: target, reminder)
    let latest = context.latestSnooze(
      of: reminder, key: target.key, deadline: deadline, to: end)
    guard let latest else { return }
    let advice =
      latest > target.due
      ? "choose an earlier one; the latest possible instant is \(latest)"
      : "the occurrence cannot be snoozed; the latest possible instant is \(latest)"
    throw Refusal(
      path: snooze.path,
      "leads to \(end), too late to be sent before the announced instant; \(advice)")
  }

  /// Returns the refusal of a snooze whose delivered occurrence is unknown or not named.
  private func notDelivered(_ key: Int64?) -> Refusal {
    Refusal(
      path: "data.occurrence",
      key == nil
        ? "is missing; name the occurrence that was delivered"
        : "is not a delivered occurrence of this recipient that can be snoozed")
  }

  /// Returns the refusal of a command about an occurrence that is not pending.
  private func notPending(
    _ reminder: Symbol, _ key: Int64?, _ finder: inout TargetFinder
  ) -> Refusal {
    if let key {
      let others = finder.pendingTargets(reminder, key: nil)
      if !others.isEmpty || reminder == Digest.symbol {
        return Refusal(
          path: "data.occurrence",
          "\(key) is not pending"
            + (others.isEmpty ? "" : "; other occurrences of the reminder are pending"))
      }
    }
    let names = pendingNames(&finder).joined(separator: ", ")
    return Refusal(
      path: "data.reminder",
      "has nothing pending for this recipient"
        + (names.isEmpty
          ? "; no reminder has anything pending"
          : "; the reminders with pending occurrences are: \(names)"))
  }

  private func pendingNames(_ finder: inout TargetFinder) -> [String] {
    var reminders: [Reminder] = []
    finder.context.forEachPlanned { reminders.append($0) }
    return reminders.filter { !finder.pendingTargets($0.symbol, key: nil).isEmpty }
      .map(\.identifier)
  }
}

extension Event {
  /// Whether the acceptance of the event depends on the recipient's state.
  package var isConditional: Bool {
    switch content {
    case .preferences, .cancellation, .resumption, .snooze, .request, .report, .relation: true
    case .profile, .happening, .device, .requestCancellation, .opening, .deliveryReport,
      .erasure:
      false
    }
  }
}
