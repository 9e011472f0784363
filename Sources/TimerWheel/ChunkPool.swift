/// A pool of chunks, which are pieces of memory for the entries of a slot. Acquiring or releasing a
/// chunk takes constant time.
///
/// The pool allocates memory in blocks that never move, so that growing copies nothing. It keeps
/// the memory for reuse until it is deallocated.
struct ChunkPool: ~Copyable {
  private static let chunksPerBlock = 256
  /// The size of the processor's cache lines, in bytes.
  private static let cacheLine = 64

  private var blocks: [UnsafeMutableRawPointer] = []
  /// The first of a linked list of free chunks; nil if it is empty.
  private var firstFree: UnsafeMutablePointer<Chunk>?
  /// The number of chunks at the start of the last block that were never used. These chunks are not
  /// in the list of free chunks, so that their memory is not accessed until it is needed.
  private var unusedCount = 0

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
      chunk = takeUnusedChunk()
    }
    chunk.initialize(to: Chunk(next: next, count: 0))
    return chunk
  }

  mutating func release(_ chunk: UnsafeMutablePointer<Chunk>) {
    chunk.pointee.next = firstFree
    firstFree = chunk
  }

  @inline(never)
  private mutating func takeUnusedChunk() -> UnsafeMutablePointer<Chunk> {
    if unusedCount == 0 {
      let byteCount = Self.chunksPerBlock * Chunk.byteCount
      blocks.append(.allocate(byteCount: byteCount, alignment: Self.cacheLine))
      unusedCount = Self.chunksPerBlock
    }
    unusedCount -= 1
    let address = blocks[blocks.count - 1] + unusedCount * Chunk.byteCount
    return address.bindMemory(to: Chunk.self, capacity: 1)
  }
}

extension ChunkPool {
  /// Returns the number of chunks in use; O(n).
  func countInUse() -> Int {
    var freeCount = 0
    var next = firstFree
    while let chunk = next {
      freeCount += 1
      next = chunk.pointee.next
    }
    return blocks.count * Self.chunksPerBlock - unusedCount - freeCount
  }
}

/// The header of a kibibyte of memory, followed by up to `capacity` entries.
///
/// Larger chunks would waste more memory in slots with few entries; smaller ones would scatter a
/// slot's entries more.
struct Chunk {
  static let byteCount = 1024
  static let capacity = (byteCount - MemoryLayout<Chunk>.stride) / MemoryLayout<Entry>.stride

  /// The next chunk of the same slot or, for a free chunk, the next free one; nil for the last.
  var next: UnsafeMutablePointer<Chunk>?
  /// The number of entries in the chunk.
  var count: Int
}

extension UnsafeMutablePointer<Chunk> {
  /// The entries after the header.
  @inline(__always)
  var entries: UnsafeMutablePointer<Entry> {
    UnsafeMutableRawPointer(self + 1).assumingMemoryBound(to: Entry.self)
  }
}

/// A timer's entry in a slot, in 12 bytes. The entry is stale after the timer was cancelled.
///
/// Every index in use has exactly one entry, so the index alone identifies the timer.
struct Entry {
  // The deadline in two halves, because an Int64 would enlarge the entry to 16 bytes.
  private let low: UInt32
  private let high: Int32
  /// The timer's index in the `TimerTable`.
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

/// A slot of the wheel, with its entries in a list of chunks. Only the first chunk may have free
/// space.
struct Slot {
  /// The first chunk; nil if the slot is empty.
  var chunks: UnsafeMutablePointer<Chunk>?

  /// The entry with the earliest deadline, live or stale.
  var soonest: Entry

  /// An empty slot, whose `soonest` is later than any entry's deadline.
  static var empty: Slot {
    Slot(chunks: nil, soonest: Entry(deadline: .max, index: 0))
  }
}
