import Fleet

/// The rows that can be locked.
enum ModelRow: Hashable {
  case node(Incarnation)
  case heartbeat(Incarnation)
  case shard(Int)
}

enum LockMode {
  case shared
  case exclusive
}

/// Row locks as in PostgreSQL. A shared lock is granted while other sessions have shared locks,
/// even if a session waits for an exclusive lock.
struct LockTable {
  private struct Entry {
    /// The modes of the granted locks, by session.
    var holders: [Int: LockMode] = [:]
    /// The sessions that wait for a lock, in order of arrival.
    var waiters: [(session: Int, mode: LockMode)] = []

    /// Returns whether a session can get a lock without a wait.
    func admits(_ mode: LockMode, _ session: Int) -> Bool {
      holders.allSatisfy { $0.key == session || $0.value == .shared && mode == .shared }
    }
  }

  private var entries: [ModelRow: Entry] = [:]

  /// Acquires a lock for a session, or adds the session to those that wait for it.
  ///
  /// - Returns: whether the session has the lock.
  mutating func acquire(_ row: ModelRow, _ mode: LockMode, by session: Int) -> Bool {
    if tryAcquire(row, mode, by: session) { return true }
    entries[row, default: Entry()].waiters.append((session, mode))
    return false
  }

  /// Acquires a lock for a session if that needs no wait.
  ///
  /// - Returns: whether the session has the lock.
  mutating func tryAcquire(_ row: ModelRow, _ mode: LockMode, by session: Int) -> Bool {
    guard entries[row, default: Entry()].admits(mode, session) else { return false }
    let isExclusive = mode == .exclusive || entries[row]?.holders[session] == .exclusive
    entries[row, default: Entry()].holders[session] = isExclusive ? .exclusive : .shared
    return true
  }

  /// Ends all locks and waits of a session.
  ///
  /// - Returns: the sessions that now have a lock for which they waited.
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
