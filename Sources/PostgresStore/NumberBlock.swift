import CivilTime

/// Ascending numbers that are never reused. A node gets them a block at a time.
struct NumberBlock: Sendable {
  /// The table whose rows have the numbers.
  let table: String
  /// The number of numbers in a block.
  let size: Int64
  private(set) var next: Int64 = 1
  private var end: Int64 = 1

  init(_ table: String, size: Int64) {
    (self.table, self.size) = (table, size)
  }

  /// The statement that gets the number of the next block, from 1.
  var statement: String { "SELECT nextval('\(table)_block')" }

  /// The last number assigned here.
  var last: Int64 { next - 1 }

  func has(_ count: Int) -> Bool { end - next >= Int64(count) }

  /// Begins a block. The remaining numbers of the previous block are never used.
  mutating func begin(_ block: Int64) {
    end = 1 + block * size
    next = end - size
  }

  /// - Precondition: `has(1)`.
  mutating func take() -> Int64 {
    defer { next += 1 }
    return next
  }

  mutating func takeAll(through number: Int64) {
    next = max(next, number + 1)
  }
}

/// The number blocks of one node.
struct NumberBlocks: Sendable {
  /// Large blocks let big batches have consecutive numbers.
  private static let large: Int64 = 1 << 24

  /// A recipient's number has 32 bits, so a start must not waste many.
  var recipient = NumberBlock("recipient", size: 1 << 10)
  var event = NumberBlock("event", size: large)
  var message = NumberBlock("message", size: large)
  var notification = NumberBlock("notification", size: large)
  /// When a block of notifications was last begun to keep them in order.
  var inOrderSince: Instant?
}
