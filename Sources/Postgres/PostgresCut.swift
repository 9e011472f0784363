internal import Glibc
internal import Synchronization

/// Shuts down connections from any thread, for good. A thread that waits on such a connection gets
/// an error at once, even if the server is silent.
package final class PostgresCut: Sendable {
  private struct State {
    var sockets: [ObjectIdentifier: PostgresSocket] = [:]
    var isDone = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether new connections are refused.
  package var isDone: Bool { state.withLock(\.isDone) }

  package func end() {
    let sockets = state.withLock { state in
      defer { state = State(isDone: true) }
      return Array(state.sockets.values)
    }
    for socket in sockets { socket.end() }
  }

  func add(_ socket: PostgresSocket) {
    let isLate = state.withLock { state in
      if !state.isDone { state.sockets[ObjectIdentifier(socket)] = socket }
      return state.isDone
    }
    if isLate { socket.end() }
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
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    self.descriptor = own
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
      let rest = max(.zero, deadline - .now)
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up))))
      if count > 0 { return true }
      // After a signal or with too many open files, the deadline still applies.
      if count == 0 || rest == .zero { return false }
    }
  }
}
