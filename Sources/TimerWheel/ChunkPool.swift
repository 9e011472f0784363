/// A pool of chunks; acquiring and releasing take constant time.
///
/// It allocates memory in blocks that never move, so that growing copies nothing, and keeps it for
/// reuse until the pool is deallocated.
struct ChunkPool: ~Copyable {
  private static let chunksPerBlock = 256
  private static let cacheLine = 64

  private var blocks: [UnsafeMutableRawPointer] = []
  private var firstFree: UnsafeMutablePointer<Chunk>?
  /// The number of chunks at the start of the last block that were never used. They are not in the
  /// list of free chunks, so that their memory is untouched until it is needed.
  private var untouched = 0

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Returns an empty chunk linked to `next`.
  mutating func acquire(before next: UnsafeMutablePointer<Chunk>?) -> UnsafeMutablePointer<Chunk> {
    let chunk: UnsafeMutablePointer<Chunk>
    if let free = firstFree {
      firstFree = free.pointee.next
      chunk = free
    } else {
      chunk = carve()
    }
    chunk.initialize(to: Chunk(next: next, count: 0))
    return chunk
  }

  mutating func release(_ chunk: UnsafeMutablePointer<Chunk>) {
    chunk.pointee.next = firstFree
    firstFree = chunk
  }

  @inline(never)
  private mutating func carve() -> UnsafeMutablePointer<Chunk> {
    if untouched == 0 {
      let byteCount = Self.chunksPerBlock * Chunk.byteCount
      blocks.append(.allocate(byteCount: byteCount, alignment: Self.cacheLine))
      untouched = Self.chunksPerBlock
    }
    untouched -= 1
    let address = blocks[blocks.count - 1] + untouched * Chunk.byteCount
    return address.bindMemory(to: Chunk.self, capacity: 1)
  }
}

extension ChunkPool {
  /// The number of chunks in use; O(n).
  func countInUse() -> Int {
    var free = 0
    var next = firstFree
    while let chunk = next {
      free += 1
      next = chunk.pointee.next
    }
    return blocks.count * Self.chunksPerBlock - untouched - free
  }
}

/// The header of a kibibyte of memory, followed by up to `capacity` entries.
///
/// Larger chunks would waste more memory in sparse slots; smaller ones would be more scattered.
struct Chunk {
  static let byteCount = 1024
  static let capacity = (byteCount - MemoryLayout<Chunk>.stride) / MemoryLayout<Entry>.stride

  var next: UnsafeMutablePointer<Chunk>?
  var count: Int
}

extension UnsafeMutablePointer<Chunk> {
  @inline(__always)
  var entries: UnsafeMutablePointer<Entry> {
    UnsafeMutableRawPointer(self + 1).assumingMemoryBound(to: Entry.self)
  }
}

/// A timer's entry in a slot, in 12 bytes; stale after the timer was cancelled.
///
/// Every index in use has exactly one entry, so the index alone identifies the timer.
struct Entry {
  // The deadline in two halves, because an Int64 would enlarge the entry to 16 bytes.
  private let low: UInt32
  private let high: Int32
  let index: UInt32

  @inline(__always)
  init(deadline: Int64, index: UInt32) {
    low = UInt32(truncatingIfNeeded: deadline)
    high = Int32(truncatingIfNeeded: deadline &>> 32)
    self.index = index
  }

  @inline(__always)
  var deadline: Int64 { Int64(high) &<< 32 | Int64(low) }
}

/// A slot of the wheel: its entries in a list of chunks. Only the first chunk may have free space.
struct Slot {
  var chunks: UnsafeMutablePointer<Chunk>?

  /// The earliest of the entries, live or stale.
  var soonest: Entry

  /// An empty slot, whose `soonest` is later than any entry's deadline.
  static var empty: Slot {
    Slot(chunks: nil, soonest: Entry(deadline: .max, index: 0))
  }
}
