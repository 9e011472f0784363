import CivilTime
import Reminders
import Store

/// The rows that one step of pruning goes over (rule H7): `isWhole` says that there may be more.
extension StoreTransaction {
  /// Notifications that were tried.
  func attempted(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [Int64], isWhole: Bool) {
    let numbers = try numbers(statements.retention.attempted, after: place, limit)
    return try reach(numbers, age) { try attempts(of: $0).first?.at }
  }

  func notifications(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [Int64], isWhole: Bool) {
    let numbers = try numbers(statements.retention.notifications, after: place, limit)
    return try reach(numbers, age) { try row(of: $0)?.at }
  }

  func events(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [OldEvent], isWhole: Bool) {
    try reach(oldEvents(after: place, limit), age) { $0.isErased ? nil : $0.received }
  }

  private func reach<Row>(
    _ rows: [Row], _ age: Age, _ time: (Row) throws -> Instant?
  ) rethrows -> (reached: [Row], isWhole: Bool) {
    let count = try age.reach(of: rows.map(time))
    return (Array(rows.prefix(count)), count == rows.count)
  }

  struct OldEvent {
    var number: Int64
    var recipient: Int64
    var received: Instant
    var identity: EventIdentity
    var isRequest: Bool
    var isErased: Bool
  }

  private func oldEvents(after place: Int64, _ limit: Int) throws -> [OldEvent] {
    var events: [OldEvent] = []
    let select = statements.retention.events
    select.bind(1, place)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      let row = try EventRow(columns)
      events.append(
        OldEvent(
          number: row.number, recipient: row.recipient, received: row.received,
          identity: EventIdentity(source: row.source, identifier: row.identifier),
          isRequest: row.type == "notification.requested", isErased: row.isErased))
    }
    return events
  }

  func numbers(
    _ select: HotStatement, after place: Int64, _ limit: Int
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    select.bind(1, place)
    select.bind(2, Int64(limit))
    try select.rows { numbers.append($0.integer(0)) }
    return numbers
  }
}
