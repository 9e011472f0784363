/// Which reminders say the same otherwise, as a setting has it: at once, later, or collected. What
/// one has said the other does not say again (rule V11).
struct StandIns {
  private(set) var symbols: [Symbol: [Symbol]] = [:]

  /// - Complexity: quadratic in the reminders that speak of one type of event.
  init(of reminders: [Reminder]) {
    let speaking = Dictionary(grouping: reminders.filter { $0.event != nil }, by: \.event)
    for reminder in reminders {
      guard let event = reminder.event else { continue }
      let others = speaking[event, default: []].filter { reminder.standsIn(for: $0) }
      if !others.isEmpty { symbols[reminder.symbol] = others.map(\.symbol) }
    }
  }
}

extension Reminder {
  /// The event of which it speaks: each by itself, or some together.
  fileprivate var event: Symbol? { eachEvent ?? collectedEvent }

  /// The event after each of which it comes. The occurrences of such reminders have the same keys.
  private var eachEvent: Symbol? {
    guard case .items(let trigger) = trigger, case .after = trigger.timing else { return nil }
    return trigger.event
  }

  /// The event that must have happened lately for it to come.
  private var collectedEvent: Symbol? {
    if case .calendar = trigger { terms?.having?.event.event } else { nil }
  }

  /// Whether a person has either this one or another: the same value of a setting never has both.
  /// What is said one by one takes up nothing of a collection's.
  fileprivate func standsIn(for other: Reminder) -> Bool {
    let isAlike =
      collectedEvent != nil || (other.collectedEvent == nil && offset == other.offset)
    return category == other.category && isAlike
      && conditions.contains { one in other.conditions.contains { one.excludes($0) } }
  }
}
