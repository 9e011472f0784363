import NIOCore
import Synchronization

/// The seats of one listener, which its gate gives out and its connections hold.
final class ConnectionLimiter: Sendable {
  typealias Table = ConnectionTable<ObjectIdentifier>

  private struct State {
    var table: Table
    var seats: [ObjectIdentifier: ConnectionPermit] = [:]
    /// To be called once when a seat may have come free.
    var waiter: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>
  private let clock: @Sendable () -> ContinuousClock.Instant
  let counts: ConnectionCounts

  /// - Parameter clock: reads one that nobody sets.
  init(
    limits: APILimits, counts: ConnectionCounts,
    clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    state = Mutex(State(table: Table(limits: limits)))
    self.counts = counts
    self.clock = clock
  }

  /// Seats a connection, and closes the one that it takes the seat of.
  ///
  /// - Parameter waiter: is called once, from any thread, when it is worth asking again after
  ///   `wait` was the answer.
  func admit(
    _ channel: any Channel, from origin: ConnectionOrigin, of peer: ConnectionPeer,
    orWait waiter: @escaping @Sendable () -> Void
  ) -> Table.Admission {
    let id = ObjectIdentifier(channel)
    let now = clock()
    let (admission, victim) = state.withLock { state in
      let admission = state.table.admit(id, of: peer, at: now)
      state.waiter = admission == .wait ? waiter : nil
      guard case .seated(let other) = admission else {
        return (admission, nil as ConnectionPermit?)
      }
      state.seats[id] = ConnectionPermit(channel: channel, origin: origin, among: self)
      return (admission, other.flatMap { state.seats[$0] })
    }
    victim?.close(.room)
    switch admission {
    case .seated:
      counts.hasOpened()
      channel.closeFuture.whenComplete { _ in self.leave(id) }
    case .refused(let reason): counts.count(reason)
    case .wait: break
    }
    return admission
  }

  /// Nil for a connection that was never seated.
  func seat(of channel: any Channel) -> ConnectionPermit? {
    state.withLock { $0.seats[ObjectIdentifier(channel)] }
  }

  /// Closes the connections on which nothing comes.
  ///
  /// - Returns: how long until it is to be done again; nil where nothing is connected.
  func closeOverdue() -> Duration? {
    let now = clock()
    let (overdue, next) = state.withLock { state in
      let overdue = state.table.removeOverdue(at: now).compactMap { id, reason in
        state.seats[id].map { ($0, reason) }
      }
      return (overdue, state.table.nextLook(from: now))
    }
    for (seat, reason) in overdue { seat.close(reason) }
    return next.map { $0 - now }
  }

  fileprivate func requestBegins(_ id: ObjectIdentifier) -> Bool {
    state.withLock { $0.table.requestBegins(on: id) }
  }

  fileprivate func headBegins(_ id: ObjectIdentifier) {
    state.withLock { $0.table.headBegins(on: id) }
  }

  fileprivate func rests(_ id: ObjectIdentifier) {
    let now = clock()
    change { $0.table.rests(id, at: now) }
  }

  fileprivate func streamBegins(_ id: ObjectIdentifier) {
    change { $0.table.streamBegins(on: id) }
  }

  private func leave(_ id: ObjectIdentifier) {
    counts.hasClosed()
    change { state in
      state.table.remove(id)
      state.seats[id] = nil
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiter = state.withLock { state in
      body(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?()
  }
}

/// The place of one connection at its listener, which is told what happens on it.
final class ConnectionPermit: Sendable {
  let origin: ConnectionOrigin
  private let channel: any Channel
  private let seats: ConnectionLimiter

  fileprivate init(
    channel: any Channel, origin: ConnectionOrigin, among seats: ConnectionLimiter
  ) {
    self.channel = channel
    self.origin = origin
    self.seats = seats
  }

  private var id: ObjectIdentifier { ObjectIdentifier(channel) }

  /// The first bytes of a head have come, and not all of it.
  func headBegins() { seats.headBegins(id) }

  /// - Returns: false if the connection is about to be closed, so that nothing may begin on it.
  func requestBegins() -> Bool { seats.requestBegins(id) }

  /// The request in progress is answered by a stream, which has a seat among the streams, until the
  /// connection rests again.
  func streamBegins() { seats.streamBegins(id) }

  /// All requests that have come are answered.
  func rests() { seats.rests(id) }

  /// Counts why the connection is ended, which its own handlers do.
  func count(_ reason: ConnectionEnd) { seats.counts.count(reason) }

  fileprivate func close(_ reason: ConnectionEnd) {
    seats.counts.count(reason)
    channel.close(promise: nil)
  }
}
