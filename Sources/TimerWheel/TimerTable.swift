/// The deadline, the payload and the generation of every timer by its index, in 16 bytes each. The
/// deadline is apart from the others: filing a timer again asks for it alone, and ending one asks
/// for the others.
///
/// An index is claimed, its timer ends, and then it is free to be claimed again. An index is
/// reused, a handle never is: the generation counts up when an index is claimed and again when its
/// timer ends, so it is odd exactly while the timer lives. An index that has run out of
/// generations, after two thousand million timers, is retired.
///
/// Records live in segments of fixed size, so that growing never copies them. All operations
/// take constant time.
package struct TimerTable: ~Copyable {
  private struct Record {
    var generation: UInt32
    /// While the index is free, the next free index.
    var payload: UInt32
  }

  private static let segmentBits: UInt32 = 15
  private static let segmentSize = 1 << segmentBits
  private static let none = UInt32.max

  private var segments: [UnsafeMutablePointer<Record>] = []
  private var deadlines: [UnsafeMutablePointer<Int64>] = []
  private var firstFree = none
  private let firstGeneration: UInt32

  /// The indices that are or ever were in use are those below this one.
  private(set) var indexCount: UInt32 = 0

  package private(set) var liveCount = 0

  /// An empty table; indices count their generations from `firstGeneration`, an even number,
  /// which is only ever other than 0 to watch them run out.
  package init(firstGeneration: UInt32 = 0) {
    precondition(firstGeneration.isMultiple(of: 2), "the generation of a free index is even")
    self.firstGeneration = firstGeneration
  }

  deinit {
    for segment in segments { segment.deallocate() }
    for segment in deadlines { segment.deallocate() }
  }

  @inline(__always)
  private func record(_ index: UInt32) -> UnsafeMutablePointer<Record> {
    let segment = segments[Int(index &>> Self.segmentBits)]
    return segment + Int(index & UInt32(Self.segmentSize - 1))
  }

  @inline(__always)
  package func isLive(_ handle: TimerHandle) -> Bool {
    handle.index < indexCount && record(handle.index).pointee.generation == handle.generation
  }

  /// Whether the timer lives of an index that is not free.
  @inline(__always)
  package func isLive(_ index: UInt32) -> Bool {
    !record(index).pointee.generation.isMultiple(of: 2)
  }

  /// The deadline of a timer whose index is not free.
  @inline(__always)
  package func deadline(of index: UInt32) -> Int64 {
    place(ofDeadline: index).pointee
  }

  @inline(__always)
  private func place(ofDeadline index: UInt32) -> UnsafeMutablePointer<Int64> {
    deadlines[Int(index &>> Self.segmentBits)] + Int(index & UInt32(Self.segmentSize - 1))
  }

  /// The payload of a timer whose index is not free.
  package func payload(of index: UInt32) -> UInt32 {
    record(index).pointee.payload
  }

  /// Begins a timer; at most 2³² - 1 can live at once.
  @inline(__always)
  package mutating func claim(deadline: Int64, payload: UInt32) -> TimerHandle {
    if firstFree == Self.none { addIndex() }
    let index = firstFree
    let record = record(index)
    firstFree = record.pointee.payload
    record.pointee.generation &+= 1
    record.pointee.payload = payload
    place(ofDeadline: index).initialize(to: deadline)
    liveCount &+= 1
    return TimerHandle(index: index, generation: record.pointee.generation)
  }

  /// Ends a timer, which must be live, and returns its payload.
  @inline(__always)
  @discardableResult
  package mutating func end(_ index: UInt32) -> UInt32 {
    let record = record(index)
    record.pointee.generation &+= 1
    liveCount &-= 1
    return record.pointee.payload
  }

  /// Lets the index of a timer that has ended be claimed again.
  @inline(__always)
  package mutating func free(_ index: UInt32) {
    let record = record(index)
    guard record.pointee.generation != 0 else { return }
    record.pointee.payload = firstFree
    firstFree = index
  }

  /// Makes the next index that was never in use the only free one.
  @inline(never)
  private mutating func addIndex() {
    precondition(indexCount != Self.none, "a timer wheel holds at most 2^32 - 1 timers at once")
    if Int(indexCount) == segments.count * Self.segmentSize {
      segments.append(.allocate(capacity: Self.segmentSize))
      deadlines.append(.allocate(capacity: Self.segmentSize))
    }
    record(indexCount).initialize(
      to: Record(generation: firstGeneration, payload: Self.none))
    firstFree = indexCount
    indexCount += 1
  }
}

extension TimerTable {
  /// What is wrong with the free indices, if anything; O(n).
  ///
  /// - Parameter stale: how many indices of timers that have ended are not free.
  func violations(stale: Int) -> [String] {
    var isFree = [Bool](repeating: false, count: Int(indexCount))
    var index = firstFree
    while index != Self.none {
      if isFree[Int(index)] { return ["index \(index) is free twice"] }
      isFree[Int(index)] = true
      index = record(index).pointee.payload
    }
    let live = (0..<indexCount).filter { !record($0).pointee.generation.isMultiple(of: 2) }
    let usable = (0..<indexCount).filter { record($0).pointee.generation != 0 }
    var found = live.filter { isFree[Int($0)] }.map { "index \($0) is both live and free" }
    if live.count != liveCount { found.append("\(live.count) timers live, not \(liveCount)") }
    if usable.count != live.count + stale + isFree.count(where: { $0 }) {
      found.append("some index is neither live nor stale nor free")
    }
    return found
  }
}
