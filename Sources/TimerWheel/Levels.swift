/// The slots of all levels, and bitmaps of those that hold entries. All operations take constant
/// time.
struct Levels: ~Copyable {
  private let slots: UnsafeMutablePointer<Slot>
  /// For each level, a bit for each slot that holds entries.
  private let occupiedSlots: UnsafeMutablePointer<UInt64>
  /// A bit for each level that holds entries.
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

  /// The earliest place that holds entries, be they live or stale.
  @inline(__always)
  var first: Place? {
    guard occupiedLevels != 0 else { return nil }
    let level = occupiedLevels.trailingZeroBitCount
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

  /// Empties a slot and returns the list of chunks that it held.
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
  /// Whether the bitmaps are right.
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
