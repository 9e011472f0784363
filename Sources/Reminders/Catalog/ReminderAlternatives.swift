/// Reminders for the same events, from which a setting selects one. For example, the first is sent
/// at once, the second is sent later, and the third collects several events. Each omits events that
/// its alternatives have sent (rule V11).
struct ReminderAlternatives {
  /// The alternatives of each reminder that has any.
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
  /// The type of event that the reminder is about, with one notification for each event or for
  /// several; nil for other reminders.
  fileprivate var event: Symbol? { eachEvent ?? collectedEvent }

  /// The type of event that triggers an occurrence for each event; nil for other reminders. The
  /// occurrences of several reminders for one event have the same key.
  private var eachEvent: Symbol? {
    guard case .items(let trigger) = trigger, case .after = trigger.timing else { return nil }
    return trigger.event
  }

  /// The type of the events that a calendar reminder collects, because its `having` requires a
  /// recent event; nil for other reminders.
  private var collectedEvent: Symbol? {
    if case .calendar = trigger { terms?.having?.event.event } else { nil }
  }

  /// Returns whether this reminder omits events that `other` has sent. It does so only if no value
  /// of a setting enables both. A reminder for single events never omits events that a reminder for
  /// collected events has sent.
  fileprivate func isAlternative(to other: Reminder) -> Bool {
    let omitsSameEvents =
      collectedEvent != nil || (other.collectedEvent == nil && offset == other.offset)
    return category == other.category && omitsSameEvents
      && conditions.contains { condition in other.conditions.contains { condition.excludes($0) } }
  }
}
