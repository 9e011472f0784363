/// Which reminders say the same otherwise, as a setting has it: at once or later, say. What one has
/// said the other does not say again (rule V11).
struct StandIns {
  private(set) var symbols: [Symbol: [Symbol]] = [:]

  /// - Complexity: quadratic in the reminders that follow one type of event.
  init(of reminders: [Reminder]) {
    let following = Dictionary(grouping: reminders.filter { $0.eachEvent != nil }, by: \.eachEvent)
    for reminder in reminders {
      guard let event = reminder.eachEvent else { continue }
      let others = following[event, default: []].filter { reminder.standsIn(for: $0) }
      if !others.isEmpty { symbols[reminder.symbol] = others.map(\.symbol) }
    }
  }
}

extension Reminder {
  /// The event after each of which it comes. The occurrences of such reminders have the same keys.
  fileprivate var eachEvent: Symbol? {
    guard case .items(let trigger) = trigger, case .after = trigger.timing else { return nil }
    return trigger.event
  }

  /// Whether a person has either this one or another: the same value of a setting never has both.
  fileprivate func standsIn(for other: Reminder) -> Bool {
    category == other.category && offset == other.offset
      && conditions.contains { one in other.conditions.contains { one.excludes($0) } }
  }
}
