extension TimerWheel {
  /// Returns the violated invariants of the wheel, for tests; O(n).
  package func checkInvariants() -> [String] {
    var violations = table.violations(stale: staleCount)
    violations += violationsOfOverdue() + violationsOfEntries()
    if !levels.checkBitmaps() { violations.append("a bitmap disagrees with the slots") }
    var chunkCount = 0
    for position in filledSlots() {
      chunkCount += levels[position].allChunks().count
      violations += self.violations(at: position)
    }
    if pool.countInUse() != chunkCount {
      violations.append("\(pool.countInUse()) chunks are in use, but slots have \(chunkCount)")
    }
    return violations
  }

  private func filledSlots() -> [SlotPosition] {
    (0..<SlotPosition.count).map(SlotPosition.init(index:)).filter { levels[$0].chunks != nil }
  }

  private func violations(at position: SlotPosition) -> [String] {
    let slot = levels[position]
    let entries = slot.allEntries()
    var violations: [String] = []
    if slot.allChunks().contains(where: { $0.pointee.count == 0 }) {
      violations.append("\(position) has an empty chunk")
    }
    if slot.allChunks().dropFirst().contains(where: { $0.pointee.count < Chunk.capacity }) {
      violations.append("\(position) has room in a chunk that is not the first")
    }
    for entry in entries
    where entry.deadline <= time || SlotPosition(of: entry.deadline, from: time) != position {
      violations.append("\(entry) does not belong to \(position) at \(time)")
    }
    if let earliest = entries.map(\.deadline).min(), earliest != slot.soonest.deadline {
      violations.append("\(position) has an entry at \(earliest), its soonest is \(slot.soonest)")
    }
    return violations
  }

  private func violationsOfOverdue() -> [String] {
    let heap = overdue.heap
    var violations = heap.filter { $0.deadline > time }.map { "\($0) is not overdue at \(time)" }
    for child in heap.indices.dropFirst()
    where heap[child].deadline < heap[(child - 1) / 2].deadline {
      violations.append("overdue entry \(child) is earlier than its parent")
    }
    return violations
  }

  /// Returns the violations of this invariant: every live timer has one entry, and `staleCount`
  /// counts all other entries.
  private func violationsOfEntries() -> [String] {
    let entries = filledSlots().flatMap { levels[$0].allEntries() } + overdue.heap
    let live = entries.filter { table.isLive($0.index) }
    var violations: [String] = []
    if Set(entries.map(\.index)).count != entries.count || live.count != count {
      violations.append("\(live.count) entries are live, of \(count) timers")
    }
    if entries.count - live.count != staleCount {
      violations.append("\(entries.count - live.count) entries are stale, not \(staleCount)")
    }
    return violations
  }
}

extension Slot {
  fileprivate func allChunks() -> [UnsafeMutablePointer<Chunk>] {
    var all: [UnsafeMutablePointer<Chunk>] = []
    var nextChunk = chunks
    while let chunk = nextChunk {
      all.append(chunk)
      nextChunk = chunk.pointee.next
    }
    return all
  }

  fileprivate func allEntries() -> [Entry] {
    allChunks().flatMap { UnsafeBufferPointer(start: $0.entries, count: $0.pointee.count) }
  }
}
