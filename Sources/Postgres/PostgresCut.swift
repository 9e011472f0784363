internal import Glibc
internal import Synchronization

/// Ends connections all at once, from any thread and for good: who waits for a server's answer on
/// one of them is told that it has ended, however silent the server is.
package final class PostgresCut: Sendable {
  private struct State {
    var sockets: [ObjectIdentifier: PostgresSocket] = [:]
    var isDone = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether nothing more is to be connected.
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

/// A connection's socket, by a descriptor of our own: libpq closes its own as soon as it finds that
/// the connection has ended, and that number may be another file's by then.
final class PostgresSocket: Sendable {
  private let descriptor: Int32

  /// Nil where no descriptor is free.
  init?(_ descriptor: Int32) {
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    self.descriptor = own
  }

  deinit {
    close(descriptor)
  }

  /// Ends the connection in both directions, which wakes who waits for it.
  func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until something can be read, or the connection has ended.
  ///
  /// - Returns: false if nothing has come by then.
  func waitForInput(until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let rest = max(.zero, deadline - .now)
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up))))
      if count > 0 { return true }
      // A signal, or too many files: the deadline holds all the same.
      if count == 0 || rest == .zero { return false }
    }
  }
}
