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
