/// The payload and the generation of every timer by its index, in 8 bytes each.
///
/// An index is reused, but a handle never is. The generation of an index increases when the index
/// is claimed, and again when its timer ends. So it is odd exactly while the timer is live. The
/// index of a cancelled timer stays in use until it is freed. After two thousand million timers an
/// index has no generations left, and is retired.
///
/// Records are in segments of fixed size, so that growing copies nothing. All operations take
/// constant time.
package struct TimerTable: ~Copyable {
  /// The table's entry for an index.
  private struct Record {
    var generation: UInt32
    /// The payload of a live timer; while the index is free, the next free index.
    var payload: UInt32
  }

  /// How many of an index's lowest bits give its position in its segment.
  private static let segmentBits: UInt32 = 15
  private static let segmentSize = 1 << segmentBits
  /// Stands for no index at the end of the list of free indices.
  private static let none = UInt32.max

  private var segments: [UnsafeMutablePointer<Record>] = []
  /// The first of a linked list of free indices; `none` if there are none.
  private var firstFree = none
  /// The generation with which each index begins.
  private let firstGeneration: UInt32

  /// The number of indices that are or were in use. All these indices are below this number.
  private(set) var indexCount: UInt32 = 0

  /// The number of live timers.
  package private(set) var liveCount = 0

  /// Creates an empty table. The first generation of each index is `firstGeneration`, an even
  /// number. Values other than 0 are for tests of exhausted generations.
  package init(firstGeneration: UInt32 = 0) {
    precondition(firstGeneration.isMultiple(of: 2), "the generation of a free index is even")
    self.firstGeneration = firstGeneration
  }

  deinit {
    for segment in segments { segment.deallocate() }
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

  /// Returns whether the timer of an index in use is live.
  @inline(__always)
  func isLive(_ index: UInt32) -> Bool {
    record(index).pointee.generation & 1 != 0
  }

  /// Returns the payload of a live timer.
  func payload(of index: UInt32) -> UInt32 {
    record(index).pointee.payload
  }

  /// Starts a timer. At most 2³² - 1 indices are in use at once.
  @inline(__always)
  package mutating func claim(payload: UInt32) -> TimerHandle {
    if firstFree == Self.none { addIndex() }
    let index = firstFree
    let record = record(index)
    firstFree = record.pointee.payload
    record.pointee.generation &+= 1
    record.pointee.payload = payload
    liveCount &+= 1
    return TimerHandle(index: index, generation: record.pointee.generation)
  }

  /// Ends a timer if it is live. The timer's index stays in use until it is freed.
  ///
  /// - Returns: whether the timer was live.
  @inline(__always)
  package mutating func cancel(_ handle: TimerHandle) -> Bool {
    guard isLive(handle) else { return false }
    record(handle.index).pointee.generation &+= 1
    liveCount &-= 1
    return true
  }

  /// Cancels the timer of an index if it is live and has this payload.
  @inline(__always)
  mutating func cancel(index: UInt32, payload: UInt32) -> Bool {
    guard index < indexCount, isLive(index), self.payload(of: index) == payload else {
      return false
    }
    return cancel(TimerHandle(index: index, generation: record(index).pointee.generation))
  }

  /// Ends the live timer of an index, frees the index and returns the payload.
  @inline(__always)
  @discardableResult
  package mutating func release(_ index: UInt32) -> UInt32 {
    let record = record(index)
    let payload = record.pointee.payload
    record.pointee.generation &+= 1
    liveCount &-= 1
    free(index)
    return payload
  }

  /// Frees the index of a cancelled timer, unless the index has no generations left.
  @inline(__always)
  package mutating func free(_ index: UInt32) {
    let record = record(index)
    guard record.pointee.generation != 0 else { return }
    record.pointee.payload = firstFree
    firstFree = index
  }

  /// Adds an index that was never used, which is then the only free index.
  @inline(never)
  private mutating func addIndex() {
    precondition(indexCount != Self.none, "a timer wheel has at most 2^32 - 1 timers at once")
    if Int(indexCount) == segments.count * Self.segmentSize {
      segments.append(.allocate(capacity: Self.segmentSize))
    }
    record(indexCount).initialize(to: Record(generation: firstGeneration, payload: Self.none))
    firstFree = indexCount
    indexCount += 1
  }
}

extension TimerTable {
  /// Returns the violated invariants of the indices; O(n). `stale` is the number of indices of
  /// cancelled timers that are not yet freed.
  func violations(stale: Int) -> [String] {
    var isFree = [Bool](repeating: false, count: Int(indexCount))
    var index = firstFree
    while index != Self.none {
      if isFree[Int(index)] { return ["index \(index) is free twice"] }
      isFree[Int(index)] = true
      index = record(index).pointee.payload
    }
    let live = (0..<indexCount).filter { !record($0).pointee.generation.isMultiple(of: 2) }
    let retired = (0..<indexCount).count { record($0).pointee.generation == 0 && !isFree[Int($0)] }
    var violations = live.filter { isFree[Int($0)] }.map { "index \($0) is both live and free" }
    if live.count != liveCount { violations.append("\(live.count) timers live, not \(liveCount)") }
    let free = isFree.count(where: { $0 })
    // A retired index may belong to a cancelled timer whose entry in the wheel is not yet dropped.
    let inUse = Int(indexCount) - free - live.count
    if inUse < stale || inUse > stale + retired {
      violations.append("\(inUse) indices are neither live nor free, \(stale) entries are stale")
    }
    return violations
  }
}

/// The identity of a timer, which `TimerWheel.insert` returns for use in `TimerWheel.cancel`. A
/// handle is never reused for another timer of the same wheel.
package struct TimerHandle: Hashable, Sendable {
  package let index: UInt32
  let generation: UInt32
}
