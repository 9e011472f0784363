import CivilTime
import Postgres
import Reminders
import Store

/// A row of `event`.
struct EventRow {
  /// The columns of an event `e` that a statement must select, in this order.
  static let columns = PostgresTable.event.list(of: "e", from: "id")
  static let columnCount = Int32(TableDescription.event.columns.count)

  /// The number of the row, which is the event's order.
  let number: Int64
  /// The hash of the event's identity.
  let slot: Int64
  /// The row number of the recipient; 0 if the event was erased.
  let recipient: Int64
  /// The number of the recipient's previous event; 0 for the first.
  let previous: Int64
  /// When the event happened. In an erased event, the column contains `secondIdentityHash` instead.
  let time: Instant
  /// Whether the app gave `time`.
  let isTimeGiven: Bool
  /// When chimed received the event.
  let received: Instant
  let source: String
  let identifier: String
  let type: String
  let data: [UInt8]

  init(_ row: PostgresRow) {
    var reader = ColumnReader(row)
    number = reader.integer()
    slot = reader.integer()
    recipient = reader.integer()
    previous = reader.integer()
    time = reader.instant()
    isTimeGiven = reader.integer() != 0
    received = reader.instant()
    source = reader.text()
    identifier = reader.text()
    type = reader.text()
    data = reader.bytes()
  }

  /// Whether the event was erased: only the hash of its identity is left.
  var isErased: Bool { identifier.isEmpty && type.isEmpty }

  /// The second hash of the event's identity; only valid if the event is erased.
  var secondIdentityHash: Int64 { time.milliseconds }

  var identity: EventIdentity { EventIdentity(source: source, identifier: identifier) }

  var stored: StoredEvent {
    StoredEvent(
      order: number, received: received, source: source, identifier: identifier, type: type,
      time: time, isTimeGiven: isTimeGiven, data: data)
  }

  var past: PastEvent {
    PastEvent(
      identifier: identifier, source: source, type: type, time: time, received: received,
      data: data)
  }
}

/// The events that a unit of work adds.
struct Arrivals {
  struct Entry {
    /// The number of the new row, which is the event's order.
    let number: Int64
    /// The hash of the event's identity.
    let slot: Int64
    /// The row number of the recipient.
    let row: UInt32
    /// The number of the recipient's previous event; 0 for the first.
    let previous: Int64
    /// When chimed received the event.
    let received: Instant
    let event: Event
  }

  /// The events that are not written yet.
  private(set) var entries: [Entry] = []
  /// All events of this unit of work, written or not, by identity hash.
  private(set) var bySlot: [Int64: [Entry]] = [:]

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    bySlot[entry.slot, default: []].append(entry)
  }

  /// Empties ``entries`` after they were written.
  mutating func removeWritten() { entries.removeAll(keepingCapacity: true) }

  /// Forgets a recipient's events, because they have changed on disk and must be read again.
  mutating func forget(_ row: UInt32) {
    bySlot = bySlot.mapValues { $0.filter { $0.row != row } }.filter { !$0.value.isEmpty }
  }
}
