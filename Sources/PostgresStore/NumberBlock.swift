import CivilTime

/// Numbers that ascend and are never given out twice, as a node has them: a block at a time.
struct NumberBlock: Sendable {
  /// The table whose rows have the numbers.
  let table: String
  /// How many numbers a block has.
  let size: Int64
  private(set) var next: Int64 = 1
  private var end: Int64 = 1

  init(_ table: String, size: Int64) {
    (self.table, self.size) = (table, size)
  }

  /// What gives out the next block's own number, from 1 on.
  var statement: String { "SELECT nextval('\(table)_block')" }

  /// The latest that was given out here.
  var last: Int64 { next - 1 }

  func has(_ count: Int) -> Bool { end - next >= Int64(count) }

  /// The numbers left of the block before are given to nobody.
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

/// The blocks of one node.
struct NumberBlocks: Sendable {
  /// Many at a time are numbered without a break.
  private static let large: Int64 = 1 << 24

  /// A recipient's number has 32 bits, so that a start must not use up many.
  var recipient = NumberBlock("recipient", size: 1 << 10)
  var event = NumberBlock("event", size: large)
  var message = NumberBlock("message", size: large)
  var notification = NumberBlock("notification", size: large)
  /// When a fresh block of notifications was begun for the sake of their order.
  var inOrderSince: Instant?
}
