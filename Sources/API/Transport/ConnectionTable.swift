/// The peer of a connection. Limits apply to each peer separately.
struct ConnectionPeer: Hashable, Sendable {
  /// An address, or a user of this machine.
  let name: String
  /// Whether the kernel identifies the peer as an administrator.
  let isAdministrator: Bool
}

/// Decides which connections a listener admits, and which one is closed to make room (rule H6).
///
/// A connection with a request in progress is never closed to make room. A connection with a stream
/// does not count here: streams have their own limits.
///
/// - Complexity: O(connections) if one must be closed, otherwise O(1).
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Admission: Equatable {
    /// The connection is admitted, perhaps in place of another one, which must be closed.
    case admitted(evicting: ID?)
    /// The connection is not admitted yet; try again after a change, or after a while.
    case wait
    case refused(ConnectionEnd)
  }

  private enum Phase {
    /// The client has sent nothing yet.
    case silent(since: Instant)
    /// The head of a request has begun. `APILimits.headDeadline` limits the time for the head.
    case inHead(since: Instant)
    /// A request is in progress.
    case working
    /// No request is in progress, and the next has not begun.
    case idle(since: Instant)
    /// A stream answers the current request.
    case streaming

    /// The instant since which no request has been in progress; nil during a request or stream.
    var noRequestSince: Instant? {
      switch self {
      case .silent(let since), .inHead(let since), .idle(let since): since
      case .working, .streaming: nil
      }
    }
  }

  private struct Entry {
    let peer: ConnectionPeer
    var phase: Phase
  }

  private let limits: APILimits
  private var entries: [ID: Entry] = [:]
  /// The number of admitted connections, without streams.
  private var admittedCount = 0
  private var admittedCountByPeer: [ConnectionPeer: Int] = [:]

  init(limits: APILimits) {
    self.limits = limits
  }

  var isEmpty: Bool { entries.isEmpty }

  // MARK: - Admission and removal

  /// Admits a connection if the limits permit it. A peer at its limit loses its connection that has
  /// been without a request longest. The last connections below the listener's limit are reserved
  /// for peers without a connection, so that health checks are admitted. Only administrators and
  /// peers without a connection may wait, because a waiting connection delays all later ones.
  mutating func admit(_ id: ID, of peer: ConnectionPeer, at now: Instant) -> Admission {
    let peerCount = admittedCountByPeer[peer, default: 0]
    let evictableSince = now - limits.evictionGrace
    if peerCount >= (peer.isAdministrator ? limits.administratorShare : limits.share) {
      if let victim = longestWithoutRequest(
        until: peer.isAdministrator ? evictableSince : now, of: peer)
      {
        return register(id, of: peer, evicting: victim, at: now)
      }
      return peer.isAdministrator ? .wait : .refused(.share)
    }
    if admittedCount < limits.connections - (peerCount == 0 ? 0 : limits.reservedConnections) {
      return register(id, of: peer, evicting: nil, at: now)
    }
    if let victim = longestWithoutRequest(until: evictableSince, of: nil) {
      return register(id, of: peer, evicting: victim, at: now)
    }
    return peer.isAdministrator || peerCount == 0 ? .wait : .refused(.full)
  }

  mutating func remove(_ id: ID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if case .streaming = entry.phase { return }
    changeCount(of: entry.peer, by: -1)
  }

  private mutating func register(
    _ id: ID, of peer: ConnectionPeer, evicting victim: ID?, at now: Instant
  ) -> Admission {
    if let victim { remove(victim) }
    entries[id] = Entry(peer: peer, phase: .silent(since: now))
    changeCount(of: peer, by: 1)
    return .admitted(evicting: victim)
  }

  private mutating func changeCount(of peer: ConnectionPeer, by change: Int) {
    admittedCount += change
    let peerCount = admittedCountByPeer[peer, default: 0] + change
    admittedCountByPeer[peer] = peerCount == 0 ? nil : peerCount
  }

  /// Returns the connection that has been without a request longest, at least since `limit`; nil if
  /// there is none.
  ///
  /// - Parameter peer: the peer of the connection; nil for any peer.
  private func longestWithoutRequest(until limit: Instant, of peer: ConnectionPeer?) -> ID? {
    var longest: (id: ID, since: Instant)?
    for (id, entry) in entries where peer == nil || entry.peer == peer {
      guard let since = entry.phase.noRequestSince, since <= limit else { continue }
      if longest.map({ since < $0.since }) ?? true { longest = (id, since) }
    }
    return longest?.id
  }

  // MARK: - Phases

  mutating func headBegins(on id: ID) {
    guard let since = entries[id]?.phase.noRequestSince else { return }
    entries[id]?.phase = .inHead(since: since)
  }

  /// - Returns: false if the connection was closed to make room, so the request must not begin.
  mutating func requestBegins(on id: ID) -> Bool {
    guard let entry = entries[id] else { return false }
    if case .streaming = entry.phase { return true }
    entries[id]?.phase = .working
    return true
  }

  mutating func streamBegins(on id: ID) {
    guard let entry = entries[id] else { return }
    if case .streaming = entry.phase { return }
    entries[id]?.phase = .streaming
    changeCount(of: entry.peer, by: -1)
  }

  /// Records that all received requests are answered.
  mutating func becomesIdle(_ id: ID, at now: Instant) {
    guard let entry = entries[id] else { return }
    if case .streaming = entry.phase { changeCount(of: entry.peer, by: 1) }
    entries[id]?.phase = .idle(since: now)
  }

  // MARK: - Time

  /// Removes connections that have been silent for too long.
  mutating func removeOverdue(at now: Instant) -> [(id: ID, reason: ConnectionEnd)] {
    var overdue: [(id: ID, reason: ConnectionEnd)] = []
    for (id, entry) in entries {
      if let (instant, reason) = expiry(of: entry), instant <= now { overdue.append((id, reason)) }
    }
    for (id, _) in overdue { remove(id) }
    return overdue
  }

  /// Returns the instant by which the next check must take place; nil if there are no connections.
  func nextCheck(from now: Instant) -> Instant? {
    guard !isEmpty else { return nil }
    // A working connection may become idle at any time, and is overdue after `limits.idle` more.
    return entries.values.compactMap { expiry(of: $0)?.0 }.min().map { min($0, now + limits.idle) }
      ?? now + limits.idle
  }

  private func expiry(of entry: Entry) -> (Instant, ConnectionEnd)? {
    switch entry.phase {
    case .silent(let since): (since + limits.opening, .silent)
    case .idle(let since): (since + limits.idle, .idle)
    case .inHead, .working, .streaming: nil
    }
  }
}
