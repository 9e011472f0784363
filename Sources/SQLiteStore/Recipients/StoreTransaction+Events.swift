import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Where an event's identity belongs, unless others have the same hash.
  func slot(of event: Event) -> Int64 {
    slot(source: event.source, identifier: event.identifier)
  }

  /// Looks the identities up in the order of their table, and what is there already is compared.
  func places(of batches: [[Event]]) throws -> [EventPlace] {
    var slots: [Int64] = []
    slots.reserveCapacity(batches.reduce(0) { $0 + $1.count })
    for batch in batches {
      let events = batch.span
      for index in events.indices { slots.append(slot(of: events[index])) }
    }
    let taken = try taken(of: slots)
    guard !taken.isEmpty else { return slots.map { EventPlace(slot: $0, isFree: true) } }
    return try zip(slots, batches.joined()).map { slot, event in
      var place = EventPlace(slot: slot, isFree: !taken.contains(slot))
      if !place.isFree, case let match = try match(event), !match.isNew { place.match = match }
      return place
    }
  }

  /// Looks an event's identity up. Cost: one look-up in memory and one in a table of numbers, and
  /// the event's row if there is one.
  ///
  /// - Parameter place: the event's, if it has been looked up on disk in this transaction.
  func match(_ event: Event, at place: EventPlace? = nil) throws -> EventMatch {
    var slot = place?.slot ?? slot(of: event)
    // Of who is erased meanwhile, the content is not known any more.
    if let match = place?.match, statements.erased == nil { return match }
    if let place, place.isFree, statements.recent[slot] == nil { return .new(slot: slot) }
    while let row = try row(at: slot) {
      if let match = try compare(event, row: row) { return match }
      slot &+= 1
    }
    return .new(slot: slot)
  }

  func orders(of identities: [EventIdentity]) throws -> [Int64?] {
    try identities.map(order)
  }

  /// The place in the order of arrival of the event of an identity; nil if none is kept. Cost: as
  /// that of a match.
  func order(of identity: EventIdentity) throws -> Int64? {
    var slot = slot(source: identity.source.text, identifier: identity.identifier.text)
    while let row = try row(at: slot) {
      if try self.identity(row: row) == identity { return row }
      slot &+= 1
    }
    return nil
  }

  private func identity(row: Int64) throws -> EventIdentity? {
    if let arrival = statements.arrivals[row: row] { return arrival.identity }
    statements.eventByRow.bind(1, row)
    return try statements.eventByRow.first { columns in
      let event = try EventRow(columns)
      return EventIdentity(source: event.source, identifier: event.identifier)
    }
  }

  /// Keeps an event at the slot that `match` found free; it is written with others before the
  /// transaction ends.
  ///
  /// - Returns: the event's row, which is its place in the order of arrival.
  func append(
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
      EventRow.bind(arrivals[index], to: insert)
    }
    statements.arrivals.removeAll()
  }

  /// Nil if the other event has another identity, whose hash happens to be the same.
  private func compare(_ event: Event, with other: Event) -> EventMatch? {
    guard isExactly(event.source, other.source), isExactly(event.identifier, other.identifier)
    else { return nil }
    let isSame =
      isExactly(event.type, other.type) && event.data == other.data
      && event.isTimeGiven == other.isTimeGiven && (!event.isTimeGiven || event.time == other.time)
      && isExactly(event.recipient, other.recipient)
    return isSame ? .same : .other
  }

  /// Nil if the stored event has another identity, whose hash happens to be the same.
  private func compare(_ event: Event, row: Int64) throws -> EventMatch? {
    if let arrival = statements.arrivals[row: row] { return compare(event, with: arrival) }
    statements.eventByRow.bind(1, row)
    return try statements.eventByRow.first { row -> EventMatch? in
      let stored = try EventRow(row)
      if stored.isErased { return match(event, erased: stored) }
      guard stored.isIdentified(by: event) else { return nil }
      guard stored.hasContent(of: event) else { return .other }
      let name = try name(row: stored.recipient)
      return name.map { isExactly($0, event.recipient) } ?? false ? .same : .other
    } ?? nil
  }

  /// Nil if the event that is not kept any more had another identity.
  private func match(_ event: Event, erased stored: EventRow) -> EventMatch? {
    let rest = statements.hash.eventRest(source: event.source, identifier: event.identifier)
    return rest == stored.identityRest ? .same : nil
  }

  private func isExactly(_ text: String, _ other: String) -> Bool {
    ExactText(text) == ExactText(other)
  }

  private func name(row: Int64) throws -> String? {
    let place = row - statements.nextRecipient + Int64(statements.admitted.count)
    if place >= 0 { return statements.admitted[Int(place)] }
    statements.recipientByRow.bind(1, row)
    return try statements.recipientByRow.first { try RecipientRow.name($0) }
  }
}

extension EventMatch {
  fileprivate var isNew: Bool { if case .new = self { true } else { false } }
}
