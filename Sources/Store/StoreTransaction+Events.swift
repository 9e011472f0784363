package import CivilTime
package import Reminders

/// Whether an event has been here before (rule E1).
package enum EventMatch: Sendable {
  case new(slot: Int64)
  case same
  /// The same source and id, another content.
  case other
}

extension StoreTransaction {
  /// Looks an event's identity up. Cost: one look-up in a table of numbers, and the event's row if
  /// there is one.
  package func match(_ event: Event) throws -> EventMatch {
    var slot = Self.slot(event)
    while true {
      statements.identity.bind(1, slot)
      guard let row = try statements.identity.first({ $0.integer(0) }) else {
        return .new(slot: slot)
      }
      if let match = try compare(event, row: row) { return match }
      slot &+= 1
    }
  }

  /// Keeps an event and the identity that `match` found free.
  ///
  /// - Returns: the event's row, which is its place in the order of arrival.
  package func append(
    _ event: Event, slot: Int64, row recipient: UInt32, previous: Int64, received: Instant
  ) throws -> Int64 {
    let row = statements.nextEvent
    statements.nextEvent += 1
    let insert = statements.insertEvent
    insert.bind(1, row)
    insert.bind(2, Int64(recipient))
    insert.bind(3, previous)
    insert.bind(4, event.time.milliseconds)
    insert.bind(5, event.isTimeGiven ? 1 : 0)
    insert.bind(6, received.milliseconds)
    insert.bind(7, event.source)
    insert.bind(8, event.identifier)
    insert.bind(9, event.type)
    insert.bind(10, event.data)
    try insert.run()
    statements.insertIdentity.bind(1, slot)
    statements.insertIdentity.bind(2, row)
    try statements.insertIdentity.run()
    return row
  }

  private static func slot(_ event: Event) -> Int64 {
    let hash = mixed(stableHash(event.source) ^ mixed(stableHash(event.identifier)))
    return Int64(bitPattern: hash)
  }

  /// Nil if the stored event has another identity, whose hash happens to be the same.
  private func compare(_ event: Event, row: Int64) throws -> EventMatch? {
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
    statements.recipientByRow.bind(1, row)
    return try statements.recipientByRow.first { $0.text(1) }
  }
}
