import CivilTime
import Postgres
import Reminders
import Store

extension PostgresWork {
  func events(orders: [Int64]) throws -> [StoredEvent] {
    guard !orders.isEmpty else { return [] }
    try writeArrivals()
    let eventRows = try rows(
      "SELECT \(EventRow.columns) FROM event e WHERE e.id = ANY($1)", [.integers(orders)]
    ) { EventRow($0) }
    let byNumber = Dictionary(eventRows.map { ($0.number, $0) }) { first, _ in first }
    return orders.compactMap { byNumber[$0]?.stored }
  }

  func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> EventHistory? {
    let chain = try eventChain(from: last, limit: limit)
    let isComplete = (chain.last?.previous ?? last) == 0
    guard isComplete || chain.count < limit else { return nil }
    let events = chain.reversed().filter { $0.received <= end }.map(\.stored)
    return EventHistory(events, isComplete: isComplete)
  }

  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) throws -> (events: [PastEvent], next: Int64) {
    let chain = try eventChain(from: first, limit: limit).prefix { $0.recipient == recipient }
    let next = chain.count == limit ? chain.last?.previous ?? first : 0
    return (chain.map(\.past), next)
  }

  func allEvents(of stored: StoredRecipient) throws -> [StoredEvent] {
    try eventChain(from: stored.lastEvent).reversed().map(\.stored)
  }

  /// Returns at most `limit` of a recipient's events, from the event `first` backwards; the server
  /// follows the chain. The result ends where the chain is broken.
  func eventChain(from first: Int64, limit: Int = .max) throws -> [EventRow] {
    try writeArrivals()
    guard first != 0, limit > 0 else { return [] }
    return try rows(
      """
      WITH RECURSIVE chain AS (
        SELECT e.*, 1::bigint AS depth FROM event e WHERE e.id = $1
        UNION ALL
        SELECT e.*, c.depth + 1 FROM chain c
        JOIN event e ON e.id = c.previous AND e.shard = c.shard WHERE c.depth < $2
      )
      SELECT \(EventRow.columns) FROM chain e ORDER BY e.depth
      """, [.integer(first), .integer(Int64(limit))]
    ) { EventRow($0) }
  }

  // MARK: - Corrections of a wrong clock (rule T11)

  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) throws -> [Int64: CorrectedTime] {
    _ = try owned(stored.recipient.name)
    var times: [Int64: CorrectedTime] = [:]
    for event in try eventChain(from: stored.lastEvent)
    where event.received >= first && !event.isTimeGiven {
      guard let time = correction(event.time) else { continue }
      times[event.number] = CorrectedTime(old: event.time, new: time)
    }
    var rows = PostgresRows(.int8, .int8)
    for (number, time) in times {
      rows.add(number)
      rows.add(time.new)
    }
    try write(rows, "id, time", "UPDATE event e SET time = u.time FROM", "WHERE e.id = u.id")
    return times
  }

  func limitErasureTimes(by latest: Instant) throws {
    try write("UPDATE tombstone SET time = $1 WHERE time > $1", [.integer(latest.milliseconds)])
  }
}
