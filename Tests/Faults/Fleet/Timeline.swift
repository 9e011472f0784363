import CivilTime

/// Future actions, in order of time; those of one time in the order of insertion.
struct Timeline {
  private struct Entry {
    let time: TimeSpan
    let order: Int
    let body: () -> Void

    func isBefore(_ other: Entry) -> Bool {
      time == other.time ? order < other.order : time.milliseconds < other.time.milliseconds
    }
  }

  /// A binary heap: no entry is before its parent, at half its index.
  private var heap: [Entry] = []
  private var count = 0

  var next: TimeSpan? { heap.first?.time }

  mutating func add(at time: TimeSpan, _ body: @escaping () -> Void) {
    count += 1
    heap.append(Entry(time: time, order: count, body: body))
    var place = heap.count - 1
    while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func take() -> (() -> Void)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first.body }
    heap[0] = last
    var place = 0
    while let child = firstChild(of: place), heap[child].isBefore(heap[place]) {
      heap.swapAt(place, child)
      place = child
    }
    return first.body
  }

  mutating func clear() { heap = [] }

  private func firstChild(of place: Int) -> Int? {
    let (left, right) = (place * 2 + 1, place * 2 + 2)
    guard left < heap.count else { return nil }
    return right < heap.count && heap[right].isBefore(heap[left]) ? right : left
  }
}
