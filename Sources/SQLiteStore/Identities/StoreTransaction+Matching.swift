import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Returns the first slot in which an event may be; see `slot(source:identifier:)`.
  func slot(of event: Event) -> Int64 {
    slot(source: event.source, identifier: event.identifier)
  }

  /// Looks up the slots of events in the order of the table of identities. Compares each event
  /// whose slot is in use with the stored one.
  func lookups(of batches: [[Event]]) throws -> [EventLookup] {
    var slots: [Int64] = []
    slots.reserveCapacity(batches.reduce(0) { $0 + $1.count })
    for batch in batches {
      let events = batch.span
      for index in events.indices { slots.append(slot(of: events[index])) }
    }
    let occupied = try occupiedSlots(among: slots)
    guard !occupied.isEmpty else { return slots.map { EventLookup(slot: $0, isFree: true) } }
    return try zip(slots, batches.joined()).map { slot, event in
      var lookup = EventLookup(slot: slot, isFree: !occupied.contains(slot))
      if !lookup.isFree, case let match = try match(event), !match.isNew { lookup.match = match }
      return lookup
    }
  }

  /// Looks up an event's identity. Cost: one lookup in memory, one in a table of numbers, and the
  /// event's row if there is one.
  ///
  /// - Parameter lookup: the event's result of `lookups(of:)` in this transaction.
  func match(_ event: Event, at lookup: EventLookup? = nil) throws -> EventMatch {
    var slot = lookup?.slot ?? slot(of: event)
    // If this transaction has erased a recipient, the earlier result may be outdated.
    if let match = lookup?.match, statements.uncommittedErasure == nil { return match }
    if let lookup, lookup.isFree, statements.unwrittenIdentities[slot] == nil {
      return .new(slot: slot)
    }
    while let row = try row(at: slot) {
      if let match = try compare(event, row: row) { return match }
      slot &+= 1
    }
    return .new(slot: slot)
  }

  func orders(of identities: [EventIdentity]) throws -> [Int64?] {
    try identities.map(order)
  }

  /// Returns the arrival number of the event with this identity; nil if none is stored. Cost: as
  /// for `match`.
  func order(of identity: EventIdentity) throws -> Int64? {
    var slot = slot(source: identity.source.text, identifier: identity.identifier.text)
    while let row = try row(at: slot) {
      if try self.identity(row: row) == identity { return row }
      slot &+= 1
    }
    return nil
  }

  /// Returns the identity of the event in a row; nil if there is no such event.
  private func identity(row: Int64) throws -> EventIdentity? {
    if let arrival = statements.arrivals[row: row] { return arrival.identity }
    statements.eventByRow.bind(1, row)
    return try statements.eventByRow.first { columns in
      let event = try EventRow(columns)
      return EventIdentity(source: event.source, identifier: event.identifier)
    }
  }

  /// Compares two events; nil if their identities differ although their hashes are equal.
  private func compare(_ event: Event, with other: Event) -> EventMatch? {
    guard areEqual(event.source, other.source), areEqual(event.identifier, other.identifier)
    else { return nil }
    let isSame =
      areEqual(event.type, other.type) && event.data == other.data
      && event.isTimeGiven == other.isTimeGiven && (!event.isTimeGiven || event.time == other.time)
      && areEqual(event.recipient, other.recipient)
    return isSame ? .same : .other
  }

  /// Compares an event with a stored one; nil if the identities differ although their hashes are
  /// equal.
  private func compare(_ event: Event, row: Int64) throws -> EventMatch? {
    if let arrival = statements.arrivals[row: row] { return compare(event, with: arrival) }
    statements.eventByRow.bind(1, row)
    return try statements.eventByRow.first { row -> EventMatch? in
      let stored = try EventRow(row)
      if stored.isErased { return compare(event, withErased: stored) }
      guard stored.isIdentified(by: event) else { return nil }
      guard stored.hasContent(of: event) else { return .other }
      let name = try name(row: stored.recipient)
      return name.map { areEqual($0, event.recipient) } ?? false ? .same : .other
    } ?? nil
  }

  /// Compares an event with an erased one; nil if the identities differ.
  private func compare(_ event: Event, withErased stored: EventRow) -> EventMatch? {
    let rest = statements.hash.secondEventHash(source: event.source, identifier: event.identifier)
    return rest == stored.secondIdentityHash ? .same : nil
  }

  private func areEqual(_ text: String, _ other: String) -> Bool {
    ExactText(text) == ExactText(other)
  }

  /// Returns the name of the recipient in a row, even if this transaction has just added the
  /// recipient.
  private func name(row: Int64) throws -> String? {
    let index = row - statements.nextRecipient + Int64(statements.admitted.count)
    if index >= 0 { return statements.admitted[Int(index)] }
    statements.recipientByRow.bind(1, row)
    return try statements.recipientByRow.first { try RecipientRow.name($0) }
  }
}

extension EventMatch {
  fileprivate var isNew: Bool { if case .new = self { true } else { false } }
}
