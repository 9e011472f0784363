import Reminders
import Store

extension Ingestion {
  /// Records the analytics events that follow from a change of preferences (rule M1) and counts the
  /// change (rule M2), in the transaction of the event.
  ///
  /// - Parameters:
  ///   - event: a change of preferences.
  ///   - before: the facts before the event.
  func measure(
    _ event: Event, _ order: Int64, from before: Facts, of row: UInt32, _ turn: inout Turn
  ) throws {
    var after = before
    after.fold(event, order: order, memory: nil)
    let events = before.analytics(
      after: after, at: event.time, in: turn.planner.catalog.settings)
    try turn.transaction.append(events, of: row)
    turn.effects.outbox.hasAnalytics = turn.effects.outbox.hasAnalytics || !events.isEmpty
    turn.effects.usage.add(changeFrom: before, to: after, at: event.time, planner: turn.planner)
  }
}

extension Event {
  /// Whether the event changes settings; permissions are settings too.
  var changesPreferences: Bool {
    if case .preferences = content { true } else { false }
  }
}
