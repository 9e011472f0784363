import CivilTime
import Reminders
import Store

extension EngineCore {
  /// Keeps what an event tells of the use of preferences (rule M1), and counts it (rule M2), in the
  /// event's own transaction.
  ///
  /// - Parameter before: the facts without the event, which is one of preferences.
  func measure(
    _ event: Event, _ order: Int64, from before: Facts, of row: UInt32, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    var after = before
    after.fold(event, order: order, memory: nil)
    let events = before.analytics(
      after: after, at: event.time, in: turn.planner.catalog.settings)
    try transaction.append(events, of: row)
    turn.usage.add(changeFrom: before, to: after, at: event.time, planner: turn.planner)
  }

  /// Writes what the turn has counted, once for all of it.
  func saveUsage(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    guard !turn.usage.isEmpty else { return }
    turn.usageCounts = turn.usage.counts
    try transaction.add(turn.usageCounts)
  }

  /// Adds what a turn has counted to the counts since the start, which know no dates.
  func countUsage(_ turn: Turn) {
    guard !turn.usageCounts.isEmpty else { return }
    var counts: [UsageKey: Int] = [:]
    for (key, count) in turn.usageCounts {
      var key = key
      key.hour = LocalHour(date: Self.anyDate, hour: key.hour.hour)
      counts[key, default: 0] += count
    }
    published.count(counts)
  }

  private static let anyDate = LocalDate(daysSinceEpoch: 0)
}

extension Event {
  /// Whether it writes settings, which permissions are too.
  var isOfPreferences: Bool {
    if case .preferences = content { true } else { false }
  }
}
