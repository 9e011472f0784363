import TimerWheel

/// Compares the wheel with a binary heap in one run: deadlines spread over a day.
struct WheelBenchmark {
  /// The number of timers.
  let count: Int

  func run() {
    print("\(count) timers over 24 hours")
    var random = SeededGenerator(state: 1)
    let start: Int64 = 1_790_000_000_000
    let deadlines = (0..<count).map { _ in start + Int64.random(in: 1...86_400_000, using: &random)
    }
    let order = (0..<count).shuffled(using: &random)
    let wheel = measureWheel(deadlines, order, from: start)
    let heap = measureHeap(deadlines, order, from: start)
    for (index, name) in ["insert", "cancel", "expire"].enumerated() {
      show("\(name), wheel", wheel[index], "ns a timer")
      show("\(name), heap", heap[index], "ns a timer")
    }
    show("memory, wheel", wheel[3], "bytes a timer")
  }

  /// The number of timers that are cancelled, in random order.
  private var cancelledCount: Int { count / 10 }

  /// Returns the times to insert, cancel and expire a timer, in nanoseconds, and its memory in
  /// bytes.
  private func measureWheel(_ deadlines: [Int64], _ order: [Int], from start: Int64) -> [Double] {
    var handles: [TimerHandle] = []
    handles.reserveCapacity(count)
    let initialBytes = residentBytes()
    var wheel = TimerWheel(now: start)
    let insert = processorSeconds {
      for index in 0..<count {
        handles.append(wheel.insert(deadline: deadlines[index], payload: UInt32(index)))
      }
    }
    // The caller's handles of 8 bytes each do not count. Their memory became resident only when
    // they were written.
    let memory = Double(residentBytes() - initialBytes) / Double(count) - 8
    let cancelledHandles = order.prefix(cancelledCount).map { handles[$0] }
    let cancel = processorSeconds { for handle in cancelledHandles { _ = wheel.cancel(handle) } }
    var expired = 0
    let expire = processorSeconds { wheel.advance(to: start + 86_400_000) { _, _ in expired += 1 } }
    if expired != count - cancelledCount { print("  WRONG: \(expired) expired") }
    return [
      insert * 1e9 / Double(count), cancel * 1e9 / Double(cancelledCount),
      expire * 1e9 / Double(expired), memory,
    ]
  }

  /// Returns the times to insert, cancel and expire a timer, in nanoseconds.
  private func measureHeap(_ deadlines: [Int64], _ order: [Int], from start: Int64) -> [Double] {
    var heap = BinaryHeap(capacity: count)
    var indices: [UInt32] = []
    indices.reserveCapacity(count)
    let insert = processorSeconds {
      for deadline in deadlines { indices.append(heap.insert(deadline: deadline)) }
    }
    let cancelledIndices = order.prefix(cancelledCount).map { indices[$0] }
    let cancel = processorSeconds { for index in cancelledIndices { heap.cancel(index) } }
    var expired = 0
    let expire = processorSeconds { heap.advance(to: start + 86_400_000) { _, _ in expired += 1 } }
    return [
      insert * 1e9 / Double(count), cancel * 1e9 / Double(cancelledCount),
      expire * 1e9 / Double(max(1, expired)),
    ]
  }
}
