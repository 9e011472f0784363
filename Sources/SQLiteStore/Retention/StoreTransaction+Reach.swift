import CivilTime
import Reminders
import Store

/// The rows that one step of pruning goes over (rule H7): `isWhole` says that there may be more.
extension StoreTransaction {
  /// Notifications that were tried.
  func attempted(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [Int64], isWhole: Bool) {
    try reached(by: statements.retention.attempted, age, after: place, limit)
  }

  func notifications(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [Int64], isWhole: Bool) {
    try reached(by: statements.retention.notifications, age, after: place, limit)
  }

  func events(
    by age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [OldEvent], isWhole: Bool) {
    let events = try oldEvents(after: place, limit)
    let count = age.reach(of: events.map { $0.isErased ? nil : $0.received })
    return (Array(events.prefix(count)), count == events.count)
  }

  /// - Parameter select: gives numbers, each with a time.
  private func reached(
    by select: HotStatement, _ age: Age, after place: Int64, _ limit: Int
  ) throws -> (reached: [Int64], isWhole: Bool) {
    var (numbers, times): ([Int64], [Instant?]) = ([], [])
    select.bind(1, place)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      numbers.append(columns.integer(0))
      times.append(Instant(milliseconds: columns.integer(1)))
    }
    let count = age.reach(of: times)
    return (Array(numbers.prefix(count)), count == numbers.count)
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
}
