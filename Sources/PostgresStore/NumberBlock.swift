import CivilTime

/// Ascending numbers that are never reused, of which a node gets a block at a time.
struct NumberBlock: Sendable {
  /// The table whose rows have the numbers.
  let table: String
  /// How many numbers a block has.
  let size: Int64
  /// The next number that is assigned, if the block is not used up.
  private(set) var next: Int64 = 1
  /// The first number after the block.
  private var end: Int64 = 1

  init(_ table: String, size: Int64) {
    (self.table, self.size) = (table, size)
  }

  /// The statement that returns the number of the next block; the first block has the number 1.
  var statement: String { "SELECT nextval('\(table)_block')" }

  /// The last number that was assigned from the block.
  var last: Int64 { next - 1 }

  /// Whether at least `count` numbers of the block are left.
  func has(_ count: Int) -> Bool { end - next >= Int64(count) }

  /// Begins a block. The remaining numbers of the previous block are never used.
  mutating func begin(_ block: Int64) {
    end = 1 + block * size
    next = end - size
  }

  /// Assigns the next number.
  ///
  /// - Precondition: `has(1)`.
  mutating func take() -> Int64 {
    defer { next += 1 }
    return next
  }

  /// Takes the next numbers, up to and including `number`.
  mutating func takeAll(through number: Int64) {
    next = max(next, number + 1)
  }
}

/// The number blocks of one node.
struct NumberBlocks: Sendable {
  /// The size of large blocks, in which even large batches get consecutive numbers.
  private static let largeBlockSize: Int64 = 1 << 24

  /// The block of recipients' numbers. These have 32 bits, so a start must not waste many of them.
  var recipient = NumberBlock("recipient", size: 1 << 10)
  var event = NumberBlock("event", size: largeBlockSize)
  var message = NumberBlock("message", size: largeBlockSize)
  var notification = NumberBlock("notification", size: largeBlockSize)
  /// When this node last began a block of notifications' numbers because of the age of the previous
  /// one; nil if it has not yet. So the numbers of all nodes roughly follow the time.
  var inOrderSince: Instant?
}
