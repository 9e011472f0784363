import Reminders
import Store

extension EngineCore {
  /// Keeps what an event tells of the use of preferences (rule M1), in its own transaction.
  ///
  /// - Parameter before: the facts without the event; nil for one that is not of preferences.
  func measure(
    _ event: Event, from before: Facts?, _ stored: StoredRecipient, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    guard let before else { return }
    let events = before.analytics(
      after: stored.recipient.facts, at: event.time, in: turn.planner.catalog.settings)
    try transaction.append(events, of: stored.row)
  }
}

extension Event {
  /// Whether it writes settings, which permissions are too.
  var isOfPreferences: Bool {
    if case .preferences = content { true } else { false }
  }
}
