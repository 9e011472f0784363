/// For each row: whether it has a recipient of this engine, and the index of that recipient's
/// timer. A row takes only four bytes, because up to a million rows stay in memory.
struct RowTimers {
  /// Marks a row that has no recipient of this engine.
  private static let noRecipient = UInt32.max
  /// Marks a recipient without a timer.
  private static let noTimer = UInt32.max - 1

  /// The index of a timer in the wheel, `noTimer` or `noRecipient`, by row.
  private var indices: [UInt32] = []

  /// Adds the recipient of a row. An existing recipient keeps its timer.
  mutating func addRecipient(_ row: UInt32) {
    while indices.count <= Int(row) { indices.append(Self.noRecipient) }
    if indices[Int(row)] == Self.noRecipient { indices[Int(row)] = Self.noTimer }
  }

  mutating func removeRecipient(_ row: UInt32) {
    if Int(row) < indices.count { indices[Int(row)] = Self.noRecipient }
  }

  /// The index of a row's timer; nil if the row has no timer. Setting an index has no effect for
  /// rows without a recipient.
  subscript(row: UInt32) -> UInt32? {
    get {
      guard Int(row) < indices.count, indices[Int(row)] < Self.noTimer else { return nil }
      return indices[Int(row)]
    }
    set {
      guard Int(row) < indices.count, indices[Int(row)] != Self.noRecipient else { return }
      indices[Int(row)] = newValue ?? Self.noTimer
    }
  }

  /// Calls `body` with each row that has a recipient, in ascending order.
  func forEachRow(_ body: (UInt32) -> Void) {
    for row in indices.indices where indices[row] != Self.noRecipient { body(UInt32(row)) }
  }
}
