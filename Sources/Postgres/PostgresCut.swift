internal import Glibc
internal import Synchronization

/// Shuts down a set of connections from any thread. A thread that waits on such a connection gets
/// an error at once, even if the server is silent. A connection that is added later is shut down
/// too.
package final class PostgresCut: Sendable {
  private struct State {
    var sockets: [ObjectIdentifier: PostgresSocket] = [:]
    var isDone = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the connections were shut down. A new connection is then shut down at once.
  package var isDone: Bool { state.withLock(\.isDone) }

  /// Shuts down all connections, including those that are added later.
  package func end() {
    let sockets = state.withLock { state in
      defer { state = State(isDone: true) }
      return Array(state.sockets.values)
    }
    for socket in sockets { socket.end() }
  }

  func add(_ socket: PostgresSocket) {
    let wasDone = state.withLock { state in
      if !state.isDone { state.sockets[ObjectIdentifier(socket)] = socket }
      return state.isDone
    }
    if wasDone { socket.end() }
  }

  func remove(_ socket: PostgresSocket) {
    _ = state.withLock { $0.sockets.removeValue(forKey: ObjectIdentifier(socket)) }
  }
}

/// A duplicate of a connection's socket descriptor. libpq closes its own descriptor as soon as it
/// notices the end of the connection. The number of that descriptor may then belong to another
/// file.
final class PostgresSocket: Sendable {
  private let descriptor: Int32

  /// Returns nil if no descriptor is free.
  init?(_ descriptor: Int32) {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return nil }
    self.descriptor = duplicate
  }

  deinit {
    close(descriptor)
  }

  /// Shuts the connection down in both directions, which wakes its waiting thread.
  func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until the socket is readable or the connection has ended.
  ///
  /// - Returns: false if the deadline passed first.
  func waitForInput(until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let remaining = max(.zero, deadline - .now)
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let timeout = Int32(clamping: Int64((remaining / .milliseconds(1)).rounded(.up)))
      let count = poll(&entry, 1, timeout)
      if count > 0 { return true }
      // If `poll` fails, for example after a signal, it is called again until the deadline.
      if count == 0 || remaining == .zero { return false }
    }
  }
}
