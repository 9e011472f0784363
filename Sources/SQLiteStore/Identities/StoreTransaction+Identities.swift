import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Returns the first slot in which an event may be: the hash of its identity. If another identity
  /// has the same hash, the event is in one of the next slots.
  func slot(source: String, identifier: String) -> Int64 {
    statements.hash.event(source: source, identifier: identifier)
  }

  /// Returns the row of the event in a slot, on disk or in memory; nil for a free slot.
  func row(at slot: Int64) throws -> Int64? {
    if let row = statements.unwrittenIdentities[slot] { return row }
    statements.identity.bind(1, slot)
    return try statements.identity.first { $0.integer(0) }
  }

  /// Writes the next piece of the identities that gathered in memory (see `UnwrittenIdentities`),
  /// if a piece is due.
  ///
  /// - Parameters:
  ///   - isAll: whether to write the rest of the generation.
  ///   - least: the minimum number of identities to write.
  func writeIdentities(all isAll: Bool = false, least: Int = 0) throws {
    guard let piece = statements.unwrittenIdentities.nextPiece(all: isAll, least: least) else {
      return
    }
    try write(piece.entries)
    if let row = piece.completeThrough { try saveNote(Self.completeIdentities, "\(row)") }
  }

  /// The key of the note with the event up to which the table of identities is complete.
  static let completeIdentities = "identities complete through"

  /// Computes the identities of the latest events from the table of events. Those that are not in
  /// the table of identities are kept in memory. Cost: reads the events' rows, and looks up their
  /// slots in the order of the table.
  func gatherIdentities() throws {
    var found: [IdentityTable.Entry] = []
    statements.eventsAfter.bind(1, statements.unwrittenIdentities.completeThrough)
    try statements.eventsAfter.rows { columns in
      let event = try EventRow(columns)
      guard !event.isErased else { return }
      let slot = slot(source: event.source, identifier: event.identifier)
      found.append(IdentityTable.Entry(slot: slot, row: event.number))
    }
    statements.unwrittenIdentities.reserve(found.count)
    let occupied = try occupiedSlots(among: found.map(\.slot))
    for entry in found {
      if !occupied.contains(entry.slot), statements.unwrittenIdentities[entry.slot] == nil {
        statements.unwrittenIdentities.add(slot: entry.slot, row: entry.row)
        continue
      }
      let (slot, isStored) = try storedSlot(of: entry.row, from: entry.slot)
      if !isStored { statements.unwrittenIdentities.add(slot: slot, row: entry.row) }
    }
    statements.unwrittenIdentities.confirmAdded(lastEvent: statements.nextEvent - 1)
  }

  /// Returns the subset of the slots that is in the table on disk.
  func occupiedSlots(among slots: [Int64]) throws -> Set<Int64> {
    let sorted = slots.sorted()
    var occupied: Set<Int64> = []
    try statements.bulk.identities.rows(sorted.count) { select, position, index in
      select.bind(position, sorted[index])
    } read: { columns in
      occupied.insert(columns.integer(0))
    }
    return occupied
  }

  /// Writes the identity of an event that is about to be cleared.
  func writeIdentity(of event: Int64) throws {
    guard event > statements.unwrittenIdentities.completeThrough else { return }
    statements.eventByRow.bind(1, event)
    let identity = try statements.eventByRow.first { row in
      let event = try EventRow(row)
      return (event.source, event.identifier)
    }
    guard let (source, identifier) = identity else { return }
    let slot = try storedSlot(of: event, from: slot(source: source, identifier: identifier)).slot
    try write([IdentityTable.Entry(slot: slot, row: event)])
  }

  /// Returns the slot of an event, and whether the event is already in it.
  ///
  /// - Parameter first: the slot to begin with: the hash of the event's identity.
  private func storedSlot(
    of event: Int64, from first: Int64
  ) throws -> (slot: Int64, isStored: Bool) {
    var slot = first
    while let row = try row(at: slot) {
      if row == event { return (slot, true) }
      slot &+= 1
    }
    return (slot, false)
  }

  /// Writes entries. An entry that is already in the table stays: it was written before a crash, or
  /// when its event was erased.
  private func write(_ entries: [IdentityTable.Entry]) throws {
    _ = try statements.insertIdentities.run(entries.count) { insert, index in
      insert.bind(1, entries[index].slot)
      insert.bind(2, entries[index].row)
    }
  }
}

/// The events of a transaction that are not written yet. Writing many together halves the cost.
final class Arrivals {
  struct Entry {
    /// The arrival number of the event, which is its row.
    let row: Int64
    /// The row of the recipient.
    let recipient: Int64
    /// The arrival number of the recipient's previous event; 0 if there is none.
    let previous: Int64
    /// When the service received the event.
    let received: Instant
    let event: Event
  }

  /// The number of entries at which all entries are written, even before the transaction ends. It
  /// limits the use of memory.
  private static let countMax = 16_384

  /// The entries in the order of arrival, with consecutive rows.
  private(set) var entries: [Entry] = []

  var isFull: Bool { entries.count >= Self.countMax }

  /// The event with an arrival number; nil if it is not among the entries.
  subscript(row row: Int64) -> Event? {
    guard let first = entries.first?.row, row >= first else { return nil }
    return entries[Int(row - first)].event
  }

  func append(_ entry: Entry) {
    entries.append(entry)
  }

  func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }
}
