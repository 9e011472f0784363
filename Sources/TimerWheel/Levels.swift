/// The slots of all levels, with bitmaps of the occupied ones. All operations take constant time.
struct Levels: ~Copyable {
  private let slots: UnsafeMutablePointer<Slot>
  /// For each level, a bit for each occupied slot.
  private let occupiedSlots: UnsafeMutablePointer<UInt64>
  /// A bit for each occupied level.
  private var occupiedLevels: UInt32 = 0

  init() {
    slots = .allocate(capacity: Place.count)
    slots.initialize(repeating: .empty, count: Place.count)
    occupiedSlots = .allocate(capacity: Place.levelCount)
    occupiedSlots.initialize(repeating: 0, count: Place.levelCount)
  }

  deinit {
    slots.deallocate()
    occupiedSlots.deallocate()
  }

  @inline(__always)
  subscript(place: Place) -> Slot { slots[place.index] }

  /// The earliest occupied place, even if all its entries are stale.
  @inline(__always)
  var first: Place? {
    guard occupiedLevels != 0 else { return nil }
    let level = occupiedLevels.trailingZeroBitCount
    return Place(level: level, slot: occupiedSlots[level].trailingZeroBitCount)
  }

  /// The next occupied place after the given one.
  func first(after place: Place) -> Place? {
    let slots = occupiedSlots[place.level] >> UInt64(place.slot + 1)
    if slots != 0 {
      return Place(level: place.level, slot: place.slot + 1 + slots.trailingZeroBitCount)
    }
    let levels = occupiedLevels >> UInt32(place.level + 1)
    guard levels != 0 else { return nil }
    let level = place.level + 1 + levels.trailingZeroBitCount
    return Place(level: level, slot: occupiedSlots[level].trailingZeroBitCount)
  }

  @inline(__always)
  func isOccupied(_ place: Place) -> Bool {
    occupiedSlots[place.level] & (1 &<< UInt64(place.slot)) != 0
  }

  @inline(__always)
  mutating func append(_ entry: Entry, at place: Place, from pool: inout ChunkPool) {
    let slot = slots + place.index
    let chunk: UnsafeMutablePointer<Chunk>
    if let first = slot.pointee.chunks, first.pointee.count < Chunk.capacity {
      chunk = first
    } else {
      chunk = addChunk(at: place, from: &pool)
    }
    chunk.entries[chunk.pointee.count] = entry
    chunk.pointee.count &+= 1
    if entry.deadline <= slot.pointee.soonest.deadline { slot.pointee.soonest = entry }
  }

  @inline(never)
  private mutating func addChunk(
    at place: Place, from pool: inout ChunkPool
  ) -> UnsafeMutablePointer<Chunk> {
    let chunk = pool.acquire(before: slots[place.index].chunks)
    slots[place.index].chunks = chunk
    occupiedSlots[place.level] |= 1 &<< UInt64(place.slot)
    occupiedLevels |= 1 &<< UInt32(place.level)
    return chunk
  }

  /// Empties a slot and returns its list of chunks.
  @inline(__always)
  mutating func take(_ place: Place) -> UnsafeMutablePointer<Chunk>? {
    let chunks = slots[place.index].chunks
    slots[place.index] = .empty
    occupiedSlots[place.level] &= ~(1 &<< UInt64(place.slot))
    if occupiedSlots[place.level] == 0 { occupiedLevels &= ~(1 &<< UInt32(place.level)) }
    return chunks
  }
}

extension Levels {
  /// Whether the bitmaps agree with the slots.
  func checkBitmaps() -> Bool {
    for level in 0..<Place.levelCount {
      let places = (0..<Place.slotsPerLevel).map { Place(level: level, slot: $0) }
      guard places.allSatisfy({ isOccupied($0) == (self[$0].chunks != nil) }) else { return false }
      let isMarked = occupiedLevels & (1 << UInt32(level)) != 0
      guard isMarked == (occupiedSlots[level] != 0) else { return false }
    }
    return true
  }
}

/// A slot of a level; places are ordered by the times that they represent.
///
/// A level has 64 slots: it stands for one base-64 digit of a deadline, level 0 for the lowest. A
/// deadline belongs to the level of the highest digit that differs from the wheel's time, and there
/// to the slot of that digit. So it is later than all deadlines at lower levels and in earlier
/// slots. It stays there until the wheel's time reaches its slot. Eleven levels cover an `Int64`.
struct Place: Comparable {
  static let bitsPerLevel = 6
  static let slotsPerLevel = 1 << bitsPerLevel
  static let levelCount = (Int64.bitWidth + bitsPerLevel - 1) / bitsPerLevel
  static let count = levelCount * slotsPerLevel

  let index: Int

  @inline(__always)
  init(index: Int) { self.index = index }

  @inline(__always)
  init(level: Int, slot: Int) { index = level &<< Self.bitsPerLevel | slot }

  /// The place of a deadline that is not before `time`.
  @inline(__always)
  init(of deadline: Int64, from time: Int64) {
    // Setting the lowest bit only ensures that there is a highest one if the two are equal.
    let difference = UInt64(bitPattern: deadline ^ time) | 1
    let highestBit = 63 &- difference.leadingZeroBitCount
    let level = highestBit / Self.bitsPerLevel
    // With the sign bit inverted, negative deadlines sort before the others.
    let digits = UInt64(bitPattern: deadline ^ .min) &>> UInt64(level &* Self.bitsPerLevel)
    self.init(level: level, slot: Int(truncatingIfNeeded: digits) & (Self.slotsPerLevel - 1))
  }

  @inline(__always)
  var level: Int { index &>> Self.bitsPerLevel }

  @inline(__always)
  var slot: Int { index & (Self.slotsPerLevel - 1) }

  @inline(__always)
  static func < (left: Place, right: Place) -> Bool { left.index < right.index }
}
