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
