import CivilTime
import Postgres
import Reminders
import Store

/// Compares events with earlier ones (rule E1).
extension PostgresWork {
  func lookups(of requests: [[Event]]) throws -> [EventLookup] {
    let slots = requests.joined().map {
      node.hash.event(source: $0.source, identifier: $0.identifier).first
    }
    try lookUp(slots)
    return slots.map { slot in
      EventLookup(slot: slot, isFree: knownEvents[slot, default: []].isEmpty)
    }
  }

  func match(_ event: Event, at lookup: EventLookup?) throws -> EventMatch {
    if let lookup, knownEvents[lookup.slot]?.isEmpty == true, arrivals.bySlot[lookup.slot] == nil {
      return .new(slot: lookup.slot)
    }
    let hash = node.hash.event(source: event.source, identifier: event.identifier)
    try lookUp([hash.first])
    for other in knownEvents[hash.first, default: []] {
      if let match = other.match(event, rest: hash.rest) { return match }
    }
    for arrival in arrivals.bySlot[hash.first, default: []] {
      if let match = arrival.match(event) { return match }
    }
    return .new(slot: hash.first)
  }

  func orders(of identities: [EventIdentity]) throws -> [Int64?] {
    let slots = identities.map { node.hash.event($0).first }
    try lookUp(slots)
    return zip(identities, slots).map { identity, slot in
      knownEvents[slot, default: []]
        .first { !$0.row.isErased && $0.row.identity == identity }?.row.number
        ?? arrivals.bySlot[slot, default: []].first { $0.event.identity == identity }?.number
    }
  }

  /// Reads the events with these identity hashes into `knownEvents`, except hashes that were looked
  /// up before.
  private func lookUp(_ slots: [Int64]) throws {
    let unknown = Set(slots).filter { knownEvents[$0] == nil }
    guard !unknown.isEmpty else { return }
    for slot in unknown { knownEvents[slot] = [] }
    // Events of this unit of work are known already.
    let arrivalNumbers = Set(arrivals.bySlot.values.joined().map(\.number))
    try query(
      """
      SELECT \(EventRow.columns), r.name FROM event e
      LEFT JOIN recipient r ON r.id = e.recipient AND r.shard = e.shard
      WHERE e.identity = ANY($1)
      """, [.integers(unknown)]
    ) { row in
      let event = KnownEvent(row)
      guard !arrivalNumbers.contains(event.row.number) else { return }
      knownEvents[event.row.slot, default: []].append(event)
    }
  }

  // MARK: - Writing

  func append(
    _ event: Event, slot: Int64, row: UInt32, previous: Int64, received: Instant
  ) throws -> Int64 {
    let number = try next(\.event)
    hasWritten = true
    arrivals.append(
      Arrivals.Entry(
        number: number, slot: slot, row: row, previous: previous, received: received, event: event))
    return number
  }

  /// Writes the events that have been added so far.
  func writeArrivals() throws {
    guard !arrivals.entries.isEmpty else { return }
    var rows = PostgresTable.event.rows
    for entry in arrivals.entries { try add(entry, to: &rows) }
    arrivals.removeWritten()
    try insert(rows, into: .event)
  }

  private func add(_ entry: Arrivals.Entry, to rows: inout PostgresRows) throws {
    rows.add(try owned(entry.event.recipient))
    rows.add(entry.number)
    rows.add(entry.slot)
    EventColumns.put(
      entry.event, recipient: Int64(entry.row), previous: entry.previous, received: entry.received,
      to: &rows)
  }
}
