import Reminders
import Store

extension Ingestion {
  /// Records the analytics events that follow from a change of preferences (rule M1) and counts the
  /// change (rule M2), in the transaction of the event.
  ///
  /// - Parameters:
  ///   - event: a change of preferences.
  ///   - order: the event's arrival number.
  ///   - previousFacts: the facts before the event.
  ///   - row: the row of the recipient.
  func measure(
    _ event: Event, _ order: Int64, from previousFacts: Facts, of row: UInt32, _ turn: inout Turn
  ) throws {
    var newFacts = previousFacts
    newFacts.fold(event, order: order, memory: nil)
    let events = previousFacts.analytics(
      after: newFacts, at: event.time, in: turn.planner.catalog.settings)
    try turn.transaction.append(events, of: row)
    turn.effects.outbox.hasAnalytics = turn.effects.outbox.hasAnalytics || !events.isEmpty
    turn.effects.usage.add(
      changeFrom: previousFacts, to: newFacts, at: event.time, planner: turn.planner)
  }
}

extension Event {
  /// Whether the event changes settings; permissions are settings too.
  var changesPreferences: Bool {
    if case .preferences = content { true } else { false }
  }
}
