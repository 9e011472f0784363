/// Which rows have a recipient who is ours, and the index of the timer of each: four bytes a row,
/// for a million of them are in memory all the time.
struct RowTimers {
  private static let nobody = UInt32.max
  private static let noTimer = UInt32.max - 1

  private var indices: [UInt32] = []

  /// Notes that there is a recipient of a row; one who was there keeps their timer.
  mutating func admit(_ row: UInt32) {
    while indices.count <= Int(row) { indices.append(Self.nobody) }
    if indices[Int(row)] == Self.nobody { indices[Int(row)] = Self.noTimer }
  }

  mutating func dismiss(_ row: UInt32) {
    if Int(row) < indices.count { indices[Int(row)] = Self.nobody }
  }

  /// The index of the timer of somebody who is there; nobody else gets one.
  subscript(row: UInt32) -> UInt32? {
    get {
      guard Int(row) < indices.count, indices[Int(row)] < Self.noTimer else { return nil }
      return indices[Int(row)]
    }
    set {
      guard Int(row) < indices.count, indices[Int(row)] != Self.nobody else { return }
      indices[Int(row)] = newValue ?? Self.noTimer
    }
  }

  /// In ascending order.
  func forEachRow(_ body: (UInt32) -> Void) {
    for row in indices.indices where indices[row] != Self.nobody { body(UInt32(row)) }
  }
}
