import CSystemd
import Glibc

/// The service manager that started this process, told how the service is doing by sd_notify(3).
///
/// Without one every call does nothing and returns false. The calls may be made from any thread;
/// each is one datagram. What must arrive waits some seconds for room in the manager's queue, and
/// the journal has it if there was none; what is repeated anyway (status, watchdog) is dropped when
/// the queue is full. So a manager that hangs cannot stop the service.
package struct ServiceManager: Sendable {
  /// The manager's socket: a path, or a name in the abstract namespace after `@`.
  private let socket: String?
  /// How long the manager waits between two signs of life; nil where it keeps no watchdog over
  /// this process.
  package let watchdogInterval: Duration?
  /// Where it is said that the manager did not take something.
  private let journal: Journal?
  /// How long what must arrive waits for room, in milliseconds.
  private let patience: Int32

  package init(
    socket: String?, watchdogInterval: Duration? = nil, journal: Journal? = nil,
    patience: Duration = .seconds(3)
  ) {
    self.socket = socket
    self.watchdogInterval = watchdogInterval
    self.journal = journal
    self.patience = Int32(clamping: patience.microseconds / 1_000)
  }

  /// Whether there is a manager that listens.
  package var isPresent: Bool { socket.map { !$0.isEmpty } ?? false }

  /// The manager named by $NOTIFY_SOCKET, with the watchdog of $WATCHDOG_USEC where $WATCHDOG_PID
  /// means this process.
  package static func inherited(journal: Journal? = nil) -> ServiceManager {
    let socket = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    var microseconds: UInt64 = 0
    let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
    let interval = Duration.microseconds(Int64(clamping: microseconds))
    return ServiceManager(
      socket: socket, watchdogInterval: isWatched ? interval : nil, journal: journal)
  }

  /// Start-up is complete, or a reload is; units ordered after this one may start.
  @discardableResult
  package func ready() -> Bool { send("READY=1") }

  /// A reload has begun; `ready()` must follow, whether the new configuration was taken or not.
  ///
  /// Type=notify-reload (systemd 253) wants to know when the reload began, in the same datagram;
  /// older managers pass over the field.
  @discardableResult
  package func reloading(at now: MonotonicInstant) -> Bool {
    send("RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)")
  }

  /// The service has begun to stop; this cannot be taken back.
  @discardableResult
  package func stopping() -> Bool { send("STOPPING=1") }

  /// A line for `systemctl status`. Control characters become spaces, as a line break would let
  /// the text set other fields; what is beyond 1,024 bytes is cut off.
  @discardableResult
  package func status(_ text: String) -> Bool {
    send("STATUS=\(StatusLine(text))", isRepeated: true)
  }

  /// A sign of life. Only `WatchdogThread` should give it, as it alone knows that work goes on.
  @discardableResult
  package func watchdog() -> Bool { send("WATCHDOG=1", isRepeated: true) }

  /// Has the manager act as if the watchdog had run out: for a fault found within.
  @discardableResult
  package func triggerWatchdog() -> Bool { send("WATCHDOG=trigger") }

  /// Asks for this much more time from now to start, to reload or to stop. The next call, or the
  /// end of the work, must come within it.
  @discardableResult
  package func extendTimeout(by duration: Duration) -> Bool {
    send("EXTEND_TIMEOUT_USEC=\(duration.microseconds)")
  }

  private func send(_ message: String, isRepeated: Bool = false) -> Bool {
    guard let socket, !socket.isEmpty else { return false }
    let code = chime_notify(socket, message, message.utf8.count, isRepeated ? 0 : patience)
    if code == -EAGAIN, !isRepeated { tellUnread(message) }
    return code == 0
  }

  private func tellUnread(_ message: String) {
    let line = message.prefix { $0 != "\n" }
    journal?.send(
      .managerUnread,
      "the service manager has not read what it is told for \(patience) ms, so it does not know of "
        + "\(line); the service goes on without it", fields: [(.reason, String(line))])
  }
}

/// A listening socket that the service manager opened and handed over (sd_listen_fds(3)). It
/// outlives this process, so clients wait through a restart instead of being refused.
package struct ListenSocket: Sendable, Equatable {
  /// FileDescriptorName= of the socket unit; "unknown" where the manager gave none.
  package let name: String
  /// Closed on exec; the process owns it.
  package let descriptor: Int32

  /// What $LISTEN_FDS hands to this process, in the manager's order; empty without one.
  package static func inherited() throws(SystemCallError) -> [ListenSocket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let result = sd_listen_fds_with_names(0, &names)
    let count = Int(try SystemCallError.check("adopt the manager's sockets", result))
    defer { free(names) }
    return (0..<count).map { index in
      defer { free(names?[index]) }
      return ListenSocket(
        name: names?[index].map { String(cString: $0) } ?? "unknown",
        descriptor: SD_LISTEN_FDS_START + Int32(index))
    }
  }
}

/// A call to the system that failed, with the errno it gave.
package struct SystemCallError: Error, Equatable, CustomStringConvertible {
  /// What was attempted, in words: "start the watchdog thread".
  package let attempt: String
  package let code: Int32

  package init(_ attempt: String, code: Int32) {
    self.attempt = attempt
    self.code = code
  }

  package var description: String {
    "cannot \(attempt): \(String(cString: strerror(code))) (errno \(code))"
  }

  /// Hands back the result of a call that reports failure as a negative errno.
  package static func check(
    _ attempt: String, _ result: Int32
  ) throws(SystemCallError) -> Int32 {
    guard result >= 0 else { throw SystemCallError(attempt, code: -result) }
    return result
  }
}
