import CSystemd
import Glibc

/// Notifies the service manager that started this process, by sd_notify(3).
///
/// Without a manager every call returns false and has no effect. Calls are safe from any thread;
/// each is one datagram. A notification that must arrive waits up to `timeout` while the manager's
/// queue is full. If the queue stays full, a journal entry reports that. Notifications that are
/// repeated anyway (status, watchdog) are dropped while the queue is full. So a manager that hangs
/// cannot stop the service.
package struct ServiceManager: Sendable {
  /// The manager's socket: a path, or `@` and an abstract name.
  private let socket: String?
  /// The manager's watchdog interval; nil if this process has no watchdog.
  package let watchdogInterval: Duration?
  /// Records notifications that the manager did not accept.
  private let journal: Journal?
  /// The timeout of notifications that must arrive, in milliseconds.
  private let timeout: Int32

  package init(
    socket: String?, watchdogInterval: Duration? = nil, journal: Journal? = nil,
    timeout: Duration = .seconds(3)
  ) {
    self.socket = socket
    self.watchdogInterval = watchdogInterval
    self.journal = journal
    self.timeout = Int32(clamping: timeout.microseconds / 1_000)
  }

  /// Whether there is a service manager.
  package var isPresent: Bool { socket.map { !$0.isEmpty } ?? false }

  /// Returns the manager at $NOTIFY_SOCKET, with the watchdog interval of $WATCHDOG_USEC if
  /// $WATCHDOG_PID is this process.
  package static func inherited(journal: Journal? = nil) -> ServiceManager {
    let socket = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    var microseconds: UInt64 = 0
    let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
    let interval = Duration.microseconds(Int64(clamping: microseconds))
    return ServiceManager(
      socket: socket, watchdogInterval: isWatched ? interval : nil, journal: journal)
  }

  /// Reports that the start or a reload is complete; units ordered after this one may start.
  @discardableResult
  package func ready() -> Bool { send("READY=1") }

  /// Reports that a reload has begun. `ready()` must follow, also after a rejected reload.
  ///
  /// Type=notify-reload (systemd 253) requires the start time in the same datagram; older managers
  /// ignore the field.
  @discardableResult
  package func reloading(at now: MonotonicInstant) -> Bool {
    send("RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)")
  }

  /// Reports that the service is stopping. This cannot be undone.
  @discardableResult
  package func stopping() -> Bool { send("STOPPING=1") }

  /// Sets the line in `systemctl status`. Control characters become spaces, because a line break
  /// would let the text set other fields; the line ends at 1,024 bytes.
  @discardableResult
  package func status(_ text: String) -> Bool {
    send("STATUS=\(StatusLine(text))", isRepeated: true)
  }

  /// Sends a keep-alive message. Only `WatchdogThread` may call this method, because that thread
  /// checks for progress.
  @discardableResult
  package func watchdog() -> Bool { send("WATCHDOG=1", isRepeated: true) }

  /// Makes the manager act as if the watchdog interval had passed, because the service itself has
  /// found a stall.
  @discardableResult
  package func triggerWatchdog() -> Bool { send("WATCHDOG=trigger") }

  /// Extends the timeout of a start, reload or stop to this span from now. Before the span ends,
  /// the work must be complete, or this method must be called again.
  @discardableResult
  package func extendTimeout(by duration: Duration) -> Bool {
    send("EXTEND_TIMEOUT_USEC=\(duration.microseconds)")
  }

  private func send(_ message: String, isRepeated: Bool = false) -> Bool {
    guard let socket, !socket.isEmpty else { return false }
    let code = chime_notify(socket, message, message.utf8.count, isRepeated ? 0 : timeout)
    if code == -EAGAIN, !isRepeated { reportUnread(message) }
    return code == 0
  }

  private func reportUnread(_ message: String) {
    let line = message.prefix { $0 != "\n" }
    journal?.send(
      .managerUnread,
      "the service manager has not read \(line) within \(timeout) ms; the service continues, but "
        + "the manager may show a wrong state", fields: [(.reason, String(line))])
  }
}

/// A listening socket that the service manager opened for this process (sd_listen_fds(3)). The
/// socket outlives the process, so clients wait during a restart and are not refused.
package struct ListenSocket: Sendable, Equatable {
  /// The name, from FileDescriptorName= of the socket unit; "unknown" if the manager gave none.
  package let name: String
  /// The descriptor, closed on exec; the process owns it.
  package let descriptor: Int32

  /// Returns the sockets of $LISTEN_FDS, in the manager's order; none if the variable is not set.
  package static func inherited() throws(SystemCallError) -> [ListenSocket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let result = sd_listen_fds_with_names(0, &names)
    let count = Int(try SystemCallError.check("receive the manager's sockets", result))
    defer { free(names) }
    return (0..<count).map { index in
      defer { free(names?[index]) }
      return ListenSocket(
        name: names?[index].map { String(cString: $0) } ?? "unknown",
        descriptor: SD_LISTEN_FDS_START + Int32(index))
    }
  }
}

/// A failed system call, with its errno.
package struct SystemCallError: Error, Equatable, CustomStringConvertible {
  /// The attempted action, such as "start the watchdog thread".
  package let attempt: String
  /// The errno, a positive number.
  package let code: Int32

  package init(_ attempt: String, code: Int32) {
    self.attempt = attempt
    self.code = code
  }

  package var description: String {
    "cannot \(attempt): \(String(cString: strerror(code))) (errno \(code))"
  }

  /// Returns the result of a call that reports failure as a negative errno; throws on failure.
  package static func check(
    _ attempt: String, _ result: Int32
  ) throws(SystemCallError) -> Int32 {
    guard result >= 0 else { throw SystemCallError(attempt, code: -result) }
    return result
  }
}
