/// Reminders for the same events, from which a setting selects one. For example, the first is sent
/// at once, the second is sent later, and the third collects several events. Each omits events that
/// its alternatives have sent (rule V11).
struct ReminderAlternatives {
  private(set) var symbols: [Symbol: [Symbol]] = [:]

  /// - Complexity: quadratic in the reminders for one type of event.
  init(of reminders: [Reminder]) {
    let byEvent = Dictionary(grouping: reminders.filter { $0.event != nil }, by: \.event)
    for reminder in reminders {
      guard let event = reminder.event else { continue }
      let others = byEvent[event, default: []].filter { reminder.isAlternative(to: $0) }
      if !others.isEmpty { symbols[reminder.symbol] = others.map(\.symbol) }
    }
  }
}

extension Reminder {
  /// The type of event that the reminder is about. The reminder sends a notification for each event
  /// or for several.
  fileprivate var event: Symbol? { eachEvent ?? collectedEvent }

  /// The type of event that the reminder follows, with an occurrence for each event. Occurrences of
  /// several reminders for one event have the same key.
  private var eachEvent: Symbol? {
    guard case .items(let trigger) = trigger, case .after = trigger.timing else { return nil }
    return trigger.event
  }

  /// The type of event that must have happened recently, for a calendar reminder that collects
  /// several events.
  private var collectedEvent: Symbol? {
    if case .calendar = trigger { terms?.having?.event.event } else { nil }
  }

  /// Returns whether this reminder omits events that `other` has sent. That requires that no value
  /// of a setting enables both. A reminder for single events does not omit what a reminder that
  /// collects events has sent.
  fileprivate func isAlternative(to other: Reminder) -> Bool {
    let isAlike =
      collectedEvent != nil || (other.collectedEvent == nil && offset == other.offset)
    return category == other.category && isAlike
      && conditions.contains { one in other.conditions.contains { one.excludes($0) } }
  }
}
