/// Recipients' rows that wait for their turn. A batch is worked through in the order of the rows,
/// for that is the order in which they lie on disk.
struct RowQueue {
  private var rows: [UInt32] = []
  private var head = 0
  private var isSorted = true

  var isEmpty: Bool { head == rows.count }
  var count: Int { rows.count - head }

  mutating func append(_ row: UInt32) {
    if let last = rows.last, head < rows.count, row < last { isSorted = false }
    rows.append(row)
  }

  mutating func append(upTo count: Int) {
    guard count > 0 else { return }
    for row in 1...UInt32(count) { append(row) }
  }

  /// The first rows, lowest first.
  mutating func first(_ limit: Int) -> ArraySlice<UInt32> {
    if !isSorted {
      rows[head...].sort()
      isSorted = true
    }
    return rows[head..<min(head + limit, rows.count)]
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    guard head == rows.count else { return }
    rows.removeAll(keepingCapacity: rows.capacity <= 65_536)
    head = 0
    isSorted = true
  }
}
