extension Recipient {
  /// Refuses an event that is sound in itself but not for this recipient: quiet hours whose start
  /// and end would become equal (rule P7), or a command about what is not pending.
  package func check(_ event: Event, planner: Planner) throws(Refusal) {
    switch event.content {
    case .preferences(let changes): try check(changes, event, planner)
    case .cancellation(let reminder, let key, isSeries: false), .snooze(let reminder, let key, _):
      try checkPending(reminder, key, planner)
    default: break
    }
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

  private func checkPending(
    _ reminder: Symbol, _ key: Int64?, _ planner: Planner
  ) throws(Refusal) {
    let situation = Situation(facts: facts, planner: planner)
    guard target(reminder, key: key, in: situation) == nil else { return }
    if let key, target(reminder, in: situation) != nil {
      throw Refusal(
        path: "data.occurrence", "\(key) is not pending; others of the same reminder are")
    }
    let known = pendingNames(in: situation).joined(separator: ", ")
    throw Refusal(
      path: "data.reminder",
      "has nothing pending for this recipient"
        + (known.isEmpty ? "; nothing is" : "; pending are \(known)"))
  }

  private func pendingNames(in situation: Situation) -> [String] {
    var names: [String] = []
    situation.forEachPlanned { reminder in
      if target(reminder.symbol, in: situation) != nil { names.append(reminder.identifier) }
    }
    return names
  }
}

extension Event {
  /// Whether a recipient may refuse it; others are taken in by everyone.
  package var isConditional: Bool {
    switch content {
    case .preferences, .cancellation, .snooze: true
    case .profile, .happening, .report, .device, .request, .requestCancellation, .opening,
      .erasure:
      false
    }
  }
}
