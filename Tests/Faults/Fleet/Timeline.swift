import CivilTime

/// Future actions in order of time. Actions at the same time stay in the order of insertion.
struct Timeline {
  private struct Entry {
    let time: TimeSpan
    let order: Int
    let body: () -> Void

    func isBefore(_ other: Entry) -> Bool {
      time == other.time ? order < other.order : time.milliseconds < other.time.milliseconds
    }
  }

  /// A binary heap: no entry is before its parent. The parent of index n has index (n - 1) / 2.
  private var heap: [Entry] = []
  private var insertionCount = 0

  /// The time of the next action; nil if there is none.
  var next: TimeSpan? { heap.first?.time }

  mutating func add(at time: TimeSpan, _ body: @escaping () -> Void) {
    insertionCount += 1
    heap.append(Entry(time: time, order: insertionCount, body: body))
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the next action; nil if there is none.
  mutating func popNext() -> (() -> Void)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first.body }
    heap[0] = last
    var index = 0
    while let child = firstChild(of: index), heap[child].isBefore(heap[index]) {
      heap.swapAt(index, child)
      index = child
    }
    return first.body
  }

  mutating func clear() { heap = [] }

  /// Returns the index of the child that is before the other one; nil if there is no child.
  private func firstChild(of index: Int) -> Int? {
    let (left, right) = (index * 2 + 1, index * 2 + 2)
    guard left < heap.count else { return nil }
    return right < heap.count && heap[right].isBefore(heap[left]) ? right : left
  }
}
