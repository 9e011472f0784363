import CivilTime
import Reminders
import Store

/// The rows that one step of pruning visits (rule H7). If a step visits all rows that it has read,
/// more rows may follow (`mayContinue`).
extension StoreTransaction {
  /// Returns the notifications with attempts that the step visits.
  func notificationsWithAttempts(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (reached: [Int64], mayContinue: Bool) {
    try reached(by: statements.retention.notificationsWithAttempts, age, after: cursor, limit)
  }

  /// Returns the notifications that the step visits.
  func notifications(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (reached: [Int64], mayContinue: Bool) {
    try reached(by: statements.retention.notifications, age, after: cursor, limit)
  }

  /// Returns the events that the step visits: those of few recipients.
  func events(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (reached: [OldEvent], mayContinue: Bool) {
    let events = try oldEvents(after: cursor, limit)
    let count = age.examinedCount(of: events.map { $0.isErased ? nil : $0.stored.received })
    let visited = events.prefix(count)
    let fewCount = PruningStep.examinedCount(
      of: visited.map { $0.isErased || !age.isOld($0.stored.received) ? nil : $0.recipient })
    return (Array(visited.prefix(fewCount)), fewCount < count || count == events.count)
  }

  /// Returns the analytics events that the step removes.
  func oldAnalytics(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (removable: [(number: Int64, time: Instant)], cursor: Int64?) {
    let events = try numbersWithTimes(by: statements.retention.analytics, after: cursor, limit)
    let cursor = try analyticsCursors().values.min()
    return AnalyticsPruning(by: age, answeredThrough: cursor).step(over: events)
  }

  private func reached(
    by select: HotStatement, _ age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (reached: [Int64], mayContinue: Bool) {
    let rows = try numbersWithTimes(by: select, after: cursor, limit)
    let count = age.examinedCount(of: rows.map(\.time))
    return (rows.prefix(count).map(\.number), count == rows.count)
  }

  /// Returns the next rows of a table, as numbers and times.
  ///
  /// - Parameter select: a statement that selects numbers and times.
  private func numbersWithTimes(
    by select: HotStatement, after cursor: Int64, _ limit: Int
  ) throws -> [(number: Int64, time: Instant)] {
    var rows: [(number: Int64, time: Instant)] = []
    select.bind(1, cursor)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      rows.append((columns.integer(0), Instant(milliseconds: columns.integer(1))))
    }
    return rows
  }

  /// An event that a step visits.
  struct OldEvent {
    /// The row of the recipient; 0 for an erased event.
    var recipient: Int64
    /// The arrival number of the recipient's previous event; 0 for the first.
    var previous: Int64
    var stored: StoredEvent
    var isErased: Bool

    /// The arrival number of the event.
    var number: Int64 { stored.order }

    /// Whether the event requests a reminder.
    var isRequest: Bool { stored.type == "notification.requested" }
  }

  private func oldEvents(after cursor: Int64, _ limit: Int) throws -> [OldEvent] {
    var events: [OldEvent] = []
    let select = statements.retention.events
    select.bind(1, cursor)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      let row = try EventRow(columns)
      events.append(
        OldEvent(
          recipient: row.recipient, previous: row.previous, stored: row.stored,
          isErased: row.isErased))
    }
    return events
  }
}
