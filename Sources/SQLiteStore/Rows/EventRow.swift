import CivilTime
import Reminders
import Store

/// The current row of a statement on `event`, verified by its checksum. It is valid until the
/// statement advances.
struct EventRow {
  /// The columns that a statement must select in this order.
  static let columns = SQLiteTable.event.columnList

  private let row: HotStatement

  init(_ row: HotStatement) throws {
    self.row = row
    guard checksum(at: time) == row.integer(10) else { throw DamagedRow("event", row.integer(0)) }
  }

  /// The arrival number of the event.
  var number: Int64 { row.integer(0) }
  /// The row of the recipient; 0 for an erased event.
  var recipient: Int64 { row.integer(1) }
  /// The arrival number of the recipient's previous event; 0 for the first.
  var previous: Int64 { row.integer(2) }
  var time: Instant { Instant(milliseconds: row.integer(3)) }
  /// Whether the app gave the time. Otherwise it is the time at which the event was received.
  var isTimeGiven: Bool { row.integer(4) != 0 }
  /// When the service received the event.
  var received: Instant { Instant(milliseconds: row.integer(5)) }
  var source: String { row.text(6) }
  var identifier: String { row.text(7) }
  var type: String { row.text(8) }
  var data: [UInt8] { Array(row.bytes(9)) }

  /// Whether the event was erased: only the hash of its identity is left.
  var isErased: Bool { row.bytes(7).isEmpty && row.bytes(8).isEmpty }
  /// The second hash of the identity, in an erased event.
  var secondIdentityHash: Int64 { row.integer(3) }

  /// Whether the event has exactly this source and identifier.
  func isIdentified(by event: Event) -> Bool {
    row.has(6, event.source) && row.has(7, event.identifier)
  }

  /// Whether the event has the same content, regardless of its recipient.
  func hasContent(of event: Event) -> Bool {
    row.has(8, event.type) && row.bytes(9).elementsEqual(event.data)
      && isTimeGiven == event.isTimeGiven && (!isTimeGiven || time == event.time)
  }

  /// Returns the checksum that the row would have with this time.
  func checksum(at time: Instant) -> Int64 {
    var sum = Checksum()
    for column in 0..<Int32(6) { sum.add(column == 3 ? time.milliseconds : row.integer(column)) }
    for column in Int32(6)..<10 { sum.add(row.bytes(column)) }
    return sum.value
  }

  // MARK: - Writing

  /// Replaces the data of a row.
  static let replaceData = "UPDATE event SET data = ?2, checksum = ?3 WHERE id = ?1"

  /// Binds the current row with other data to a statement that replaces it.
  func bind(data: [UInt8], to replace: HotStatement) {
    var sum = Checksum()
    for column in Int32(0)..<6 { sum.add(row.integer(column)) }
    for column in Int32(6)..<9 { sum.add(row.bytes(column)) }
    sum.add(data)
    replace.bind(1, number)
    replace.bind(2, data)
    replace.bind(3, sum.value)
  }

  /// Sets the time of a row.
  static let correct = "UPDATE event SET time = ?2, checksum = ?3 WHERE id = ?1"

  static func bind(_ arrival: Arrivals.Entry, to insert: HotStatement) {
    var binder = RowBinder(insert)
    binder.put(integer: arrival.row)
    EventColumns.put(
      arrival.event, recipient: arrival.recipient, previous: arrival.previous,
      received: arrival.received, to: &binder)
    binder.putChecksum()
  }

  /// Clears all columns of a row except its number. `time` gets the second hash of the event's
  /// identity.
  static let clear = """
    UPDATE event SET recipient = 0, previous = 0, time = ?2, is_time_given = 0, received = 0,
      source = '', identifier = '', type = '', data = x'', checksum = ?3 WHERE id = ?1
    """

  /// Binds the number and the second hash of an event to the statement that clears it.
  static func bind(_ number: Int64, secondIdentityHash: Int64, toClear clear: HotStatement) {
    var sum = Checksum()
    for integer in [number, 0, 0, secondIdentityHash, 0, 0] { sum.add(integer) }
    for _ in 6..<10 { sum.add("") }
    clear.bind(1, number)
    clear.bind(2, secondIdentityHash)
    clear.bind(3, sum.value)
  }
}
