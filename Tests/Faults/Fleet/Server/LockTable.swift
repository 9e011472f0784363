import Fleet

/// What can be locked.
enum ModelRow: Hashable {
  case node(Incarnation)
  case heartbeat(Incarnation)
  case shard(Int)
}

enum LockMode {
  case shared
  case exclusive
}

/// Locks on rows, as PostgreSQL has them: who shares is let in beside others who share, though
/// somebody waits for the whole.
struct LockTable {
  private struct Entry {
    var holders: [Int: LockMode] = [:]
    var waiters: [(session: Int, mode: LockMode)] = []

    func admits(_ mode: LockMode, _ session: Int) -> Bool {
      holders.allSatisfy { $0.key == session || $0.value == .shared && mode == .shared }
    }
  }

  private var entries: [ModelRow: Entry] = [:]

  /// - Returns: whether it is the session's at once; otherwise it waits.
  mutating func acquire(_ row: ModelRow, _ mode: LockMode, by session: Int) -> Bool {
    if tryAcquire(row, mode, by: session) { return true }
    entries[row, default: Entry()].waiters.append((session, mode))
    return false
  }

  mutating func tryAcquire(_ row: ModelRow, _ mode: LockMode, by session: Int) -> Bool {
    guard entries[row, default: Entry()].admits(mode, session) else { return false }
    let isWhole = mode == .exclusive || entries[row]?.holders[session] == .exclusive
    entries[row, default: Entry()].holders[session] = isWhole ? .exclusive : .shared
    return true
  }

  /// The session holds nothing and waits for nothing any more.
  ///
  /// - Returns: those who have got what they waited for.
  mutating func release(by session: Int) -> [Int] {
    var granted: [Int] = []
    for row in Array(entries.keys) {
      entries[row]?.holders[session] = nil
      entries[row]?.waiters.removeAll { $0.session == session }
      while let first = entries[row]?.waiters.first, tryAcquire(row, first.mode, by: first.session)
      {
        entries[row]?.waiters.removeFirst()
        granted.append(first.session)
      }
      if entries[row]?.holders.isEmpty ?? false { entries[row] = nil }
    }
    return granted.sorted()
  }
}
