/// The head of a kibibyte of memory, which is followed by the indices of up to `capacity` timers.
///
/// Larger chunks would waste more on slots of few entries, smaller ones would be scattered more.
struct Chunk {
  static let byteCount = 1024
  static let capacity = (byteCount - MemoryLayout<Chunk>.stride) / MemoryLayout<UInt32>.stride

  var next: UnsafeMutablePointer<Chunk>?
  var count: Int
}

extension UnsafeMutablePointer<Chunk> {
  @inline(__always)
  var entries: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(self + 1).assumingMemoryBound(to: UInt32.self)
  }
}
