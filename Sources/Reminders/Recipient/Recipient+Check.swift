extension Recipient {
  /// Refuses an event that is sound in itself but not for this recipient: quiet hours whose start
  /// and end would become equal (rule P7), a command about what is not pending, or one more request
  /// than may wait (rule H6).
  package func check(_ event: Event, planner: Planner) throws(Refusal) {
    switch event.content {
    case .preferences(let changes): try check(changes, event, planner)
    case .cancellation(let reminder, let key, isSeries: false):
      _ = try pending(reminder, key, planner)
    case .resumption(let reminder, let key, let isSeries):
      try checkResumption(of: reminder, key: key, isSeries: isSeries, planner)
    case .snooze(let reminder, let key, let snooze):
      try check(snooze, of: try pending(reminder, key, planner))
    case .request: try checkRoom(for: event.identity)
    case .report:
      guard facts.items.count >= Facts.openEntitiesMax, planner.catalog.isLimited(event)
      else { return }
      try entityRoom(planner).check(event, of: facts, planner)
    default: break
    }
  }

  /// One that was taken back before it came does not wait.
  ///
  /// - Parameter more: how many come with the same request of the app.
  func checkRoom(for identity: EventIdentity, beside more: Int = 0) throws(Refusal) {
    let count = facts.requests.count + more
    guard count >= Facts.requestsMax, facts.withdrawal(of: identity) == nil else { return }
    throw Refusal(
      .overfull, path: "subject",
      "has \(count) requested notifications that wait, and no more than \(Facts.requestsMax) may; "
        + "send it again when some have gone out, or take some back with notification.cancelled")
  }

  private func check(
    _ changes: [SettingChange], _ event: Event, _ planner: Planner
  ) throws(Refusal) {
    let together: [BuiltInSetting] = [.quietStart, .quietEnd, .vacationMode, .vacationUntil]
    guard
      changes.contains(where: { change in
        together.contains { Symbol($0.path) == change.path }
      })
    else { return }
    var folded = facts
    folded.fold(event, order: .max, memory: nil)
    let settings = Settings(schema: planner.catalog.settings, registers: folded.settings)
    if settings[.quietStart] == settings[.quietEnd] { throw Refusal.equalQuietHours }
  }

  /// Rule N4: what is put off comes no earlier.
  private func check(_ snooze: Snooze, of target: Occurrence) throws(Refusal) {
    guard case .until(let instant) = snooze, instant < target.planned else { return }
    throw Refusal(
      path: "data.until",
      "is before \(target.planned), for which it is planned; give an instant after that")
  }

  /// What a command is about.
  private func pending(
    _ reminder: Symbol, _ key: Int64?, _ planner: Planner
  ) throws(Refusal) -> Occurrence {
    let context = PlanningContext(facts: facts, planner: planner)
    if let target = target(reminder, key: key, in: context) { return target }
    if let key, target(reminder, in: context) != nil {
      throw Refusal(
        path: "data.occurrence", "\(key) is not pending; others of the same reminder are")
    }
    let known = pendingNames(in: context).joined(separator: ", ")
    throw Refusal(
      path: "data.reminder",
      "has nothing pending for this recipient"
        + (known.isEmpty ? "; nothing is" : "; pending are \(known)"))
  }

  private func pendingNames(in context: PlanningContext) -> [String] {
    var names: [String] = []
    context.forEachPlanned { reminder in
      if target(reminder.symbol, in: context) != nil { names.append(reminder.identifier) }
    }
    return names
  }
}

extension Event {
  /// Whether a recipient may refuse it; others are taken in by everyone.
  package var isConditional: Bool {
    switch content {
    case .preferences, .cancellation, .resumption, .snooze, .request, .report: true
    case .profile, .happening, .device, .requestCancellation, .opening,
      .erasure:
      false
    }
  }
}
