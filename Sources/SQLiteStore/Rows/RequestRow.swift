import Reminders
import Store

/// A row of `request`, verified by its checksum.
enum RequestRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = "part, recipient, checksum, requests"

  /// Reads the current row of a statement.
  static func part(_ row: HotStatement) throws -> RequestPart {
    let (key, recipient) = (row.integer(0), row.integer(1))
    guard checksum(key, recipient, row.bytes(3)) == row.integer(2) else {
      throw DamagedRow("request", key)
    }
    do {
      return try RequestPart(key: key, decoding: Array(row.bytes(3)), row: .same)
    } catch {
      throw DamagedRow("request", "\(key) (\(error))")
    }
  }

  static func bind(_ part: RequestPart, of recipient: UInt32, to insert: HotStatement) {
    insert.bind(1, part.key)
    insert.bind(2, Int64(recipient))
    insert.bind(3, part.bytes.withUnsafeBytes { checksum(part.key, Int64(recipient), $0) })
    insert.bind(4, part.bytes)
  }

  private static func checksum(
    _ key: Int64, _ recipient: Int64, _ requests: UnsafeRawBufferPointer
  ) -> Int64 {
    var sum = Checksum()
    sum.add(key)
    sum.add(recipient)
    sum.add(requests)
    return sum.value
  }
}
