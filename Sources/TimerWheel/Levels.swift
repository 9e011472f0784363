/// The slots of all levels, with bitmaps of the occupied slots. All operations take constant time.
struct Levels: ~Copyable {
  /// All slots, by `SlotPosition.index`.
  private let slots: UnsafeMutablePointer<Slot>
  /// A bitmap for each level, with a bit set for each occupied slot.
  private let occupiedSlots: UnsafeMutablePointer<UInt64>
  /// A bitmap with a bit set for each level that has an occupied slot.
  private var occupiedLevels: UInt32 = 0

  init() {
    slots = .allocate(capacity: SlotPosition.count)
    slots.initialize(repeating: .empty, count: SlotPosition.count)
    occupiedSlots = .allocate(capacity: SlotPosition.levelCount)
    occupiedSlots.initialize(repeating: 0, count: SlotPosition.levelCount)
  }

  deinit {
    slots.deallocate()
    occupiedSlots.deallocate()
  }

  @inline(__always)
  subscript(position: SlotPosition) -> Slot { slots[position.index] }

  /// The earliest occupied position, even if all its entries are stale.
  @inline(__always)
  var first: SlotPosition? {
    guard occupiedLevels != 0 else { return nil }
    let level = occupiedLevels.trailingZeroBitCount
    return SlotPosition(level: level, slot: occupiedSlots[level].trailingZeroBitCount)
  }

  /// Returns the next occupied position after the given one.
  func first(after position: SlotPosition) -> SlotPosition? {
    let slots = occupiedSlots[position.level] >> UInt64(position.slot + 1)
    if slots != 0 {
      return SlotPosition(
        level: position.level, slot: position.slot + 1 + slots.trailingZeroBitCount)
    }
    let levels = occupiedLevels >> UInt32(position.level + 1)
    guard levels != 0 else { return nil }
    let level = position.level + 1 + levels.trailingZeroBitCount
    return SlotPosition(level: level, slot: occupiedSlots[level].trailingZeroBitCount)
  }

  @inline(__always)
  func isOccupied(_ position: SlotPosition) -> Bool {
    occupiedSlots[position.level] & (1 &<< UInt64(position.slot)) != 0
  }

  @inline(__always)
  mutating func append(_ entry: Entry, at position: SlotPosition, from pool: inout ChunkPool) {
    let slot = slots + position.index
    let chunk: UnsafeMutablePointer<Chunk>
    if let first = slot.pointee.chunks, first.pointee.count < Chunk.capacity {
      chunk = first
    } else {
      chunk = addChunk(at: position, from: &pool)
    }
    chunk.entries[chunk.pointee.count] = entry
    chunk.pointee.count &+= 1
    if entry.deadline <= slot.pointee.soonest.deadline { slot.pointee.soonest = entry }
  }

  @inline(never)
  private mutating func addChunk(
    at position: SlotPosition, from pool: inout ChunkPool
  ) -> UnsafeMutablePointer<Chunk> {
    let chunk = pool.acquire(before: slots[position.index].chunks)
    slots[position.index].chunks = chunk
    occupiedSlots[position.level] |= 1 &<< UInt64(position.slot)
    occupiedLevels |= 1 &<< UInt32(position.level)
    return chunk
  }

  /// Empties a slot and returns its list of chunks.
  @inline(__always)
  mutating func take(_ position: SlotPosition) -> UnsafeMutablePointer<Chunk>? {
    let chunks = slots[position.index].chunks
    slots[position.index] = .empty
    occupiedSlots[position.level] &= ~(1 &<< UInt64(position.slot))
    if occupiedSlots[position.level] == 0 { occupiedLevels &= ~(1 &<< UInt32(position.level)) }
    return chunks
  }
}

extension Levels {
  /// Returns whether the bitmaps agree with the slots.
  func checkBitmaps() -> Bool {
    for level in 0..<SlotPosition.levelCount {
      let positions = (0..<SlotPosition.slotsPerLevel).map { SlotPosition(level: level, slot: $0) }
      guard positions.allSatisfy({ isOccupied($0) == (self[$0].chunks != nil) }) else {
        return false
      }
      let isMarked = occupiedLevels & (1 << UInt32(level)) != 0
      guard isMarked == (occupiedSlots[level] != 0) else { return false }
    }
    return true
  }
}

/// The position of a slot: its level and its number there. Positions are ordered by the times that
/// they represent.
///
/// Each level represents one base-64 digit of a deadline, and has 64 slots. Level 0 represents the
/// lowest digit. A deadline belongs to the level of the highest digit that differs from the wheel's
/// time, and there to the slot of that digit. So the deadline is later than all deadlines at lower
/// levels and in earlier slots. It stays in its slot until the wheel's time reaches the slot.
/// Eleven levels cover an `Int64`.
struct SlotPosition: Comparable {
  /// The number of bits of a base-64 digit.
  static let bitsPerLevel = 6
  static let slotsPerLevel = 1 << bitsPerLevel
  static let levelCount = (Int64.bitWidth + bitsPerLevel - 1) / bitsPerLevel
  /// The number of slots of all levels.
  static let count = levelCount * slotsPerLevel

  /// The number of the slot among all slots: those of level 0 come first.
  let index: Int

  @inline(__always)
  init(index: Int) { self.index = index }

  @inline(__always)
  init(level: Int, slot: Int) { index = level &<< Self.bitsPerLevel | slot }

  /// Creates the position of a deadline that is not before `time`.
  @inline(__always)
  init(of deadline: Int64, from time: Int64) {
    // The lowest bit is set, so that there is a highest set bit even if deadline and time are
    // equal.
    let difference = UInt64(bitPattern: deadline ^ time) | 1
    let highestBit = 63 &- difference.leadingZeroBitCount
    let level = highestBit / Self.bitsPerLevel
    // The sign bit is inverted, so that negative deadlines sort before the others.
    let digits = UInt64(bitPattern: deadline ^ .min) &>> UInt64(level &* Self.bitsPerLevel)
    self.init(level: level, slot: Int(truncatingIfNeeded: digits) & (Self.slotsPerLevel - 1))
  }

  @inline(__always)
  var level: Int { index &>> Self.bitsPerLevel }

  @inline(__always)
  var slot: Int { index & (Self.slotsPerLevel - 1) }

  @inline(__always)
  static func < (left: SlotPosition, right: SlotPosition) -> Bool { left.index < right.index }
}
