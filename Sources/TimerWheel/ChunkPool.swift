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
