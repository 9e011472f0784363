package import CivilTime
package import Reminders

/// Whether an event has been here before (rule E1).
package enum EventMatch: Sendable {
  case new(slot: Int64)
  case same
  /// The same source and id, another content.
  case other
}

/// Where an event's identity belongs, and whether it is known that no event on disk has its place.
package struct EventPlace: Sendable {
  fileprivate var slot: Int64
  fileprivate var isFree: Bool
}

extension StoreTransaction {
  /// Where an event's identity belongs, unless others have the same hash.
  package static func slot(of event: Event) -> Int64 {
    slot(source: event.source, identifier: event.identifier)
  }

  /// Looks the identities of many events up on disk, in the order of their table.
  package func places(of slots: [Int64]) throws -> [EventPlace] {
    let sorted = slots.sorted()
    var taken: Set<Int64> = []
    try statements.bulk.identities.rows(sorted.count) { select, position, index in
      select.bind(position, sorted[index])
    } read: { columns in
      taken.insert(columns.integer(0))
    }
    return slots.map { EventPlace(slot: $0, isFree: taken.isEmpty || !taken.contains($0)) }
  }

  /// Looks an event's identity up. Cost: one look-up in memory and one in a table of numbers, and
  /// the event's row if there is one.
  ///
  /// - Parameter place: the event's, if it has been looked up on disk in this transaction.
  package func match(_ event: Event, at place: EventPlace? = nil) throws -> EventMatch {
    var slot =
      place?.slot ?? Self.slot(source: event.source, identifier: event.identifier)
    if let place, place.isFree, statements.recent[slot] == nil { return .new(slot: slot) }
    while let row = try row(at: slot) {
      if let match = try compare(event, row: row) { return match }
      slot &+= 1
    }
    return .new(slot: slot)
  }

  /// Keeps an event at the slot that `match` found free; it is written with others before the
  /// transaction ends.
  ///
  /// - Returns: the event's row, which is its place in the order of arrival.
  package func append(
    _ event: Event, slot: Int64, row recipient: UInt32, previous: Int64, received: Instant
  ) throws -> Int64 {
    let row = statements.nextEvent
    statements.nextEvent += 1
    statements.arrivals.append(
      Arrivals.Entry(
        row: row, recipient: Int64(recipient), previous: previous, received: received,
        event: event))
    statements.recent.add(slot: slot, row: row)
    if statements.arrivals.isFull { try writeArrivals() }
    return row
  }

  /// Writes the events that have been kept so far.
  func writeArrivals() throws {
    let arrivals = statements.arrivals.entries
    guard !arrivals.isEmpty else { return }
    _ = try statements.insertEvents.run(arrivals.count) { insert, index in
      bind(arrivals[index], to: insert)
    }
    statements.arrivals.removeAll()
  }

  private func bind(_ arrival: Arrivals.Entry, to insert: HotStatement) {
    insert.bind(1, arrival.row)
    insert.bind(2, arrival.recipient)
    insert.bind(3, arrival.previous)
    insert.bind(4, arrival.event.time.milliseconds)
    insert.bind(5, arrival.event.isTimeGiven ? 1 : 0)
    insert.bind(6, arrival.received.milliseconds)
    insert.bind(7, arrival.event.source)
    insert.bind(8, arrival.event.identifier)
    insert.bind(9, arrival.event.type)
    insert.bind(10, arrival.event.data)
  }

  /// Nil if the other event has another identity, whose hash happens to be the same.
  private func compare(_ event: Event, with other: Event) -> EventMatch? {
    guard event.source == other.source, event.identifier == other.identifier else { return nil }
    let isSame =
      event.type == other.type && event.data == other.data
      && event.isTimeGiven == other.isTimeGiven && (!event.isTimeGiven || event.time == other.time)
      && event.recipient == other.recipient
    return isSame ? .same : .other
  }

  /// Nil if the stored event has another identity, whose hash happens to be the same.
  private func compare(_ event: Event, row: Int64) throws -> EventMatch? {
    if let arrival = statements.arrivals[row: row] { return compare(event, with: arrival) }
    statements.eventByRow.bind(1, row)
    return try statements.eventByRow.first { columns -> EventMatch? in
      if columns.text(2).isEmpty { return columns.text(1).isEmpty ? .same : nil }
      guard columns.text(0) == event.source, columns.text(1) == event.identifier else {
        return nil
      }
      let isSame =
        columns.text(2) == event.type && columns.bytes(5).elementsEqual(event.data)
        && (columns.integer(4) != 0) == event.isTimeGiven
        && (!event.isTimeGiven || columns.integer(3) == event.time.milliseconds)
      guard isSame else { return .other }
      return try name(row: columns.integer(6)) == event.recipient ? .same : .other
    } ?? nil
  }

  private func name(row: Int64) throws -> String? {
    let place = row - statements.nextRecipient + Int64(statements.admitted.count)
    if place >= 0 { return statements.admitted[Int(place)] }
    statements.recipientByRow.bind(1, row)
    return try statements.recipientByRow.first { $0.text(1) }
  }
}
