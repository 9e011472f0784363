import CivilTime
import GRDB
import Reminders
import Store

/// Corrects times and keys that were recorded while the clock was wrong (rule T11).
extension StoreTransaction {
  func correctTimes(
    of stored: StoredRecipient, since first: Instant, _ correction: (Instant) -> Instant?
  ) throws -> [Int64: CorrectedTime] {
    var times: [Int64: CorrectedTime] = [:]
    try forEachEvent(of: stored) { event in
      guard event.received >= first else { return false }
      guard !event.isTimeGiven, let time = correction(event.time) else { return true }
      times[event.order] = CorrectedTime(old: event.time, new: time)
      return true
    }
    for (order, time) in times { try correctEvent(order, to: time.new) }
    return times
  }

  func allEvents(of stored: StoredRecipient) throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    try forEachEvent(of: stored) { event in
      events.append(event)
      return true
    }
    return events.reversed()
  }

  /// Visits events from the latest backwards while the body returns true.
  private func forEachEvent(
    of stored: StoredRecipient, _ body: (StoredEvent) throws -> Bool
  ) throws {
    try writeArrivals()
    var next = stored.lastEvent
    while next != 0 {
      statements.eventByRow.bind(1, next)
      guard let (event, previous) = try statements.eventByRow.first(storedEvent),
        try body(event)
      else { return }
      next = previous
    }
  }

  /// Replaces the time of an event.
  private func correctEvent(_ order: Int64, to time: Instant) throws {
    statements.eventByRow.bind(1, order)
    let checksum = try statements.eventByRow.first { try EventRow($0).checksum(at: time) }
    guard let checksum else { return }
    statements.history.correctEvent.bind(1, order)
    statements.history.correctEvent.bind(2, time.milliseconds)
    statements.history.correctEvent.bind(3, checksum)
    try statements.history.correctEvent.run()
  }

  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]
  ) throws {
    var next = stored.counts.head
    while next != 0, let row = try row(of: next), row.at > first {
      if let key = keys[row.key] {
        let renamedRow = row.withKey(key)
        statements.history.rename.bind(1, row.number)
        statements.history.rename.bind(2, key)
        statements.history.rename.bind(3, renamedRow.checksum)
        try statements.history.rename.run()
      }
      next = row.link.previous
    }
  }

  func limitErasureTimes(by latest: Instant) throws {
    statements.erasure.boundTombstones.bind(1, latest.milliseconds)
    try statements.erasure.boundTombstones.run()
  }
}
