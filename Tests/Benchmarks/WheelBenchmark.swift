import TimerWheel

/// Compares the wheel with a binary heap in one run: deadlines spread over a day.
struct WheelBenchmark {
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

  /// A tenth of the timers is cancelled in random order.
  private var cancelled: Int { count / 10 }

  private func measureWheel(_ deadlines: [Int64], _ order: [Int], from start: Int64) -> [Double] {
    var handles: [TimerHandle] = []
    handles.reserveCapacity(count)
    let before = residentBytes()
    var wheel = TimerWheel(now: start)
    let insert = processorSeconds {
      for index in 0..<count {
        handles.append(wheel.insert(deadline: deadlines[index], payload: UInt32(index)))
      }
    }
    // The caller's handles of 8 bytes each do not count; they were reserved but untouched before.
    let memory = Double(residentBytes() - before) / Double(count) - 8
    let chosen = order.prefix(cancelled).map { handles[$0] }
    let cancel = processorSeconds { for handle in chosen { _ = wheel.cancel(handle) } }
    var expired = 0
    let expire = processorSeconds { wheel.advance(to: start + 86_400_000) { _, _ in expired += 1 } }
    if expired != count - cancelled { print("  WRONG: \(expired) expired") }
    return [
      insert * 1e9 / Double(count), cancel * 1e9 / Double(cancelled),
      expire * 1e9 / Double(expired), memory,
    ]
  }

  private func measureHeap(_ deadlines: [Int64], _ order: [Int], from start: Int64) -> [Double] {
    var heap = BinaryHeap(capacity: count)
    var indices: [UInt32] = []
    indices.reserveCapacity(count)
    let insert = processorSeconds {
      for deadline in deadlines { indices.append(heap.insert(deadline: deadline)) }
    }
    let chosen = order.prefix(cancelled).map { indices[$0] }
    let cancel = processorSeconds { for index in chosen { heap.cancel(index) } }
    var expired = 0
    let expire = processorSeconds { heap.advance(to: start + 86_400_000) { _, _ in expired += 1 } }
    return [
      insert * 1e9 / Double(count), cancel * 1e9 / Double(cancelled),
      expire * 1e9 / Double(max(1, expired)),
    ]
  }
}
