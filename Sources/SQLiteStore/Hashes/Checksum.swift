import Reminders
import Store

/// A checksum that detects rows changed on disk. A single changed word of eight bytes always
/// changes the state. The value has only half of the state's bits, so about one change in four
/// thousand million is not detected.
///
/// It protects against accidents, not attacks. Cost: one multiplication for each eight bytes.
struct Checksum {
  private var state: UInt64 = 0x6368_696d_6564_2e30

  /// The checksum: 32 bits, which take half the disk space of 64.
  var value: Int64 { Int64(mixed(state) >> 32) }

  mutating func add(_ number: Int64) { add(word: UInt64(bitPattern: number)) }

  mutating func add(_ number: Int64?) {
    add(word: number == nil ? 0 : 1)
    add(word: UInt64(bitPattern: number ?? 0))
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(word: UInt64(bytes.count))
    bytes.forEachWord { add(word: $0) }
  }

  @inline(__always)
  private mutating func add(word: UInt64) {
    let product = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
    state = product ^ product >> 32
  }
}

/// The error for a row that was changed on disk, or that is missing.
struct DamagedRow: Error, Hashable, CustomStringConvertible {
  /// The name of the table.
  let table: String
  /// The row's number, or another key.
  let row: String
  /// Whether the row is missing although another row refers to it.
  var isMissing = false

  init(_ table: String, _ row: Int64) {
    self.init(table, "\(row)")
  }

  init(_ table: String, _ row: String) {
    self.table = table
    self.row = row
  }

  var description: String {
    "row \(row) of the table \(table) is \(isMissing ? "missing" : "not what was written")"
  }
}
