/// Hands out chunks and takes them back, each in constant time.
///
/// Memory comes in blocks that stay where they are, so that growing never copies, and is kept
/// for reuse until the pool ends.
struct ChunkPool: ~Copyable {
  private static let chunksPerBlock = 256
  private static let cacheLine = 64

  private var blocks: [UnsafeMutableRawPointer] = []
  private var firstFree: UnsafeMutablePointer<Chunk>?
  /// How many chunks at the start of the last block were never handed out: these are not in the
  /// list of free chunks, so that nothing touches their memory before it is needed.
  private var untouched = 0

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// An empty chunk in front of `next`.
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
  /// How many chunks are handed out; O(n).
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

/// The head of a kibibyte of memory, which is followed by up to `capacity` entries.
///
/// Larger chunks would waste more on slots of few entries, smaller ones would be scattered more.
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

/// A timer as a slot holds it, in 12 bytes; stale once the timer was cancelled.
///
/// Every index that is taken has exactly one, so the index alone says which timer it is.
struct Entry {
  // The deadline in two halves: as one it would have the entry take 16 bytes.
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

/// The entries of one place, in a list of chunks of which only the first may have room.
struct Slot {
  var chunks: UnsafeMutablePointer<Chunk>?

  /// The earliest of the entries, live or stale.
  var soonest: Entry

  /// A slot whose `soonest` gives way to any entry.
  static var empty: Slot {
    Slot(chunks: nil, soonest: Entry(deadline: .max, index: 0))
  }
}
