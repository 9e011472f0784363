import CivilTime
import Reminders

extension StoreTransaction {
  /// Adds an event at the slot that `match` found free. The event is written with others before the
  /// transaction ends.
  ///
  /// - Returns: the event's row, which is its arrival number.
  func append(
    _ event: Event, slot: Int64, row recipient: UInt32, previous: Int64, received: Instant
  ) throws -> Int64 {
    let row = statements.nextEvent
    statements.nextEvent += 1
    statements.arrivals.append(
      Arrivals.Entry(
        row: row, recipient: Int64(recipient), previous: previous, received: received,
        event: event))
    statements.unwrittenIdentities.add(slot: slot, row: row)
    if statements.arrivals.isFull { try writeArrivals() }
    return row
  }

  /// Writes the events that have been added so far.
  func writeArrivals() throws {
    let entries = statements.arrivals.entries
    guard !entries.isEmpty else { return }
    let arrivals = entries.span
    _ = try statements.insertEvents.run(arrivals.count) { insert, index in
      EventRow.bind(arrivals[index], to: insert)
    }
    statements.arrivals.removeAll()
  }
}
