/// The removed rows of a recipient's chain, in which each row refers to the previous one.
package struct RemovedLinks: Sendable {
  /// The previous row of each removed row; 0 for the first row of the chain.
  private var previous: [Int64: Int64] = [:]

  package init() {}

  package mutating func add(_ row: Int64, previous: Int64) { self.previous[row] = previous }

  /// The earliest removed row; nil if none was removed.
  package var first: Int64? { previous.keys.min() }

  /// The rows before the removed ones that were not removed. Some may have been removed earlier.
  package var remaining: Set<Int64> {
    Set(previous.values.lazy.filter { $0 != 0 && previous[$0] == nil })
  }

  /// Returns the first row that was not removed, from a row backwards; 0 if there is none.
  package func remaining(from row: Int64) -> Int64 {
    var row = row
    while let next = previous[row] { row = next }
    return row
  }
}
