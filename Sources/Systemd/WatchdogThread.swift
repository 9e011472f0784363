import CSystemd
import Glibc
import Synchronization

/// The thread that turns the watchdog. It is none of Swift's pool: it must still run when the pool
/// is blocked.
///
/// It wakes four times in the manager's interval: one late or lost sign of life does no harm, and
/// a subsystem is reported well before the manager acts on it.
package final class WatchdogThread: Sendable {
  private let stopping: Int32
  private let thread: Mutex<OperatingSystemThread?>

  /// Starts the thread, which gives the first sign of life at once. Returns nil where the manager
  /// keeps no watchdog.
  ///
  /// - Parameter now: Read before each turn, on that thread.
  package static func start(
    manager: ServiceManager, ledger: ProgressLedger, journal: Journal, board: StatusBoard,
    now: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) -> WatchdogThread? {
    guard let interval = manager.watchdogInterval else { return nil }
    let watchdog = Watchdog(manager: manager, ledger: ledger, journal: journal, board: board)
    return try WatchdogThread(watchdog, interval: interval, now: now)
  }

  private init(
    _ first: Watchdog, interval: Duration, now: @escaping @Sendable () -> MonotonicInstant
  ) throws(SystemCallError) {
    let stopping = try SystemCallError.check("open an eventfd", chime_flag_open())
    let pause = Int32(clamping: max(1, interval.microseconds / 4 / 1_000))
    do throws(SystemCallError) {
      thread = Mutex(
        try OperatingSystemThread(name: "watchdog") {
          var watchdog = first
          repeat { watchdog.turn(at: now()) } while !waits(for: stopping, milliseconds: pause)
        })
    } catch {
      close(stopping)
      throw error
    }
    self.stopping = stopping
  }

  deinit {
    stop()
    close(stopping)
  }

  /// Ends the thread and waits for it; from then on the manager gets no sign of life. Stop it
  /// last, after the work that it watches over.
  package func stop() {
    let last = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    _ = chime_flag_raise(stopping)
    last?.join()
  }
}

/// Waits until the flag is raised or the time is over, and returns whether it was raised.
private func waits(for flag: Int32, milliseconds: Int32) -> Bool {
  var request = pollfd(fd: flag, events: Int16(POLLIN), revents: 0)
  return poll(&request, 1, milliseconds) > 0
}
