import NIOCore
import Synchronization

/// The connections of one listener, counted against its limits.
final class ConnectionLimiter: Sendable {
  typealias Table = ConnectionTable<ObjectIdentifier>

  private struct State {
    var table: Table
    var permits: [ObjectIdentifier: ConnectionPermit] = [:]
    /// The closure to call once when a connection may be admitted.
    var waiter: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>
  private let clock: @Sendable () -> ContinuousClock.Instant
  let counts: ConnectionCounts

  /// - Parameter clock: a monotonic clock.
  init(
    limits: APILimits, counts: ConnectionCounts,
    clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    state = Mutex(State(table: Table(limits: limits)))
    self.counts = counts
    self.clock = clock
  }

  /// Admits a connection, if necessary in place of an idle one, which is closed.
  ///
  /// - Parameter waiter: called at most once, on any thread, if the result is `wait`. A connection
  ///   may be admitted then.
  func admit(
    _ channel: any Channel, from origin: ConnectionOrigin, of peer: ConnectionPeer,
    orWait waiter: @escaping @Sendable () -> Void
  ) -> Table.Admission {
    let id = ObjectIdentifier(channel)
    let now = clock()
    let (admission, victim) = state.withLock { state in
      let admission = state.table.admit(id, of: peer, at: now)
      state.waiter = admission == .wait ? waiter : nil
      guard case .admitted(let other) = admission else {
        return (admission, nil as ConnectionPermit?)
      }
      state.permits[id] = ConnectionPermit(channel: channel, origin: origin, among: self)
      return (admission, other.flatMap { state.permits[$0] })
    }
    victim?.close(.replaced)
    switch admission {
    case .admitted:
      counts.countOpened()
      channel.closeFuture.whenComplete { _ in self.remove(id) }
    case .refused(let reason): counts.count(reason)
    case .wait: break
    }
    return admission
  }

  /// Returns the permit of a connection; nil if it was never admitted.
  func permit(of channel: any Channel) -> ConnectionPermit? {
    state.withLock { $0.permits[ObjectIdentifier(channel)] }
  }

  /// Closes connections that have been silent for too long.
  ///
  /// - Returns: the time until the next check; nil if there are no connections.
  func closeOverdue() -> Duration? {
    let now = clock()
    let (overdue, next) = state.withLock { state in
      let overdue = state.table.removeOverdue(at: now).compactMap { id, reason in
        state.permits[id].map { ($0, reason) }
      }
      return (overdue, state.table.nextCheck(from: now))
    }
    for (permit, reason) in overdue { permit.close(reason) }
    return next.map { $0 - now }
  }

  fileprivate func requestBegins(_ id: ObjectIdentifier) -> Bool {
    state.withLock { $0.table.requestBegins(on: id) }
  }

  fileprivate func headBegins(_ id: ObjectIdentifier) {
    state.withLock { $0.table.headBegins(on: id) }
  }

  fileprivate func becomesIdle(_ id: ObjectIdentifier) {
    let now = clock()
    change { $0.table.becomesIdle(id, at: now) }
  }

  fileprivate func streamBegins(_ id: ObjectIdentifier) {
    change { $0.table.streamBegins(on: id) }
  }

  private func remove(_ id: ObjectIdentifier) {
    counts.countClosed()
    change { state in
      state.table.remove(id)
      state.permits[id] = nil
    }
  }

  /// Changes the state, and calls the waiter, because a connection may be admitted now.
  private func change(_ body: (inout State) -> Void) {
    let waiter = state.withLock { state in
      body(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?()
  }
}

/// An admitted connection, which reports its phases to the limiter.
final class ConnectionPermit: Sendable {
  let origin: ConnectionOrigin
  private let channel: any Channel
  private let limiter: ConnectionLimiter

  fileprivate init(
    channel: any Channel, origin: ConnectionOrigin, among limiter: ConnectionLimiter
  ) {
    self.channel = channel
    self.origin = origin
    self.limiter = limiter
  }

  private var id: ObjectIdentifier { ObjectIdentifier(channel) }

  /// Records that the first bytes of a head have arrived, but not the whole head.
  func headBegins() { limiter.headBegins(id) }

  /// - Returns: false if the connection is about to be closed, so the request must not begin.
  func requestBegins() -> Bool { limiter.requestBegins(id) }

  /// Records that a stream answers the current request. Until the connection is idle, it counts as
  /// a stream and not as a connection.
  func streamBegins() { limiter.streamBegins(id) }

  /// Records that all received requests are answered.
  func becomesIdle() { limiter.becomesIdle(id) }

  /// Counts a connection that its own handlers end.
  func count(_ reason: ConnectionEnd) { limiter.counts.count(reason) }

  fileprivate func close(_ reason: ConnectionEnd) {
    limiter.counts.count(reason)
    channel.close(promise: nil)
  }
}
