import CSystemd
import Glibc
import Synchronization

/// The watchdog's thread. It is outside Swift's pool, because it must run while the pool is
/// blocked.
///
/// The thread wakes four times in the manager's interval. So a single late or lost keep-alive
/// message does no harm, and a late subsystem is reported before the manager acts.
package final class WatchdogThread: Sendable {
  /// An eventfd that is raised to end the thread.
  private let stopFlag: Int32
  /// The running thread; nil after `stop`.
  private let thread: Mutex<OperatingSystemThread?>

  /// Starts the thread, which sends the first keep-alive message immediately. Returns nil if
  /// $WATCHDOG_USEC sets no interval for this process.
  ///
  /// - Parameter now: reads the clock; called before each check, on the watchdog's thread.
  package static func start(
    manager: ServiceManager, heartbeats: Heartbeats, journal: Journal, board: StatusBoard,
    now: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) -> WatchdogThread? {
    guard let interval = manager.watchdogInterval else { return nil }
    let watchdog = Watchdog(
      manager: manager, heartbeats: heartbeats, journal: journal, board: board)
    return try WatchdogThread(watchdog, interval: interval, now: now)
  }

  private init(
    _ initial: Watchdog, interval: Duration, now: @escaping @Sendable () -> MonotonicInstant
  ) throws(SystemCallError) {
    let stopFlag = try SystemCallError.check("open an eventfd", chime_flag_open())
    let pause = Int32(clamping: max(1, interval.microseconds / 4 / 1_000))
    do throws(SystemCallError) {
      thread = Mutex(
        try OperatingSystemThread(name: "watchdog") {
          var watchdog = initial
          repeat { watchdog.check(at: now()) } while !waitForFlag(stopFlag, milliseconds: pause)
        })
    } catch {
      close(stopFlag)
      throw error
    }
    self.stopFlag = stopFlag
  }

  deinit {
    stop()
    close(stopFlag)
  }

  /// Ends the thread and waits for its end; the manager gets no keep-alive message afterwards. Call
  /// this last, after the watched work has ended.
  package func stop() {
    let runningThread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    _ = chime_flag_raise(stopFlag)
    runningThread?.join()
  }
}

/// Waits until the flag is raised or the time is over; returns whether it was raised.
private func waitForFlag(_ flag: Int32, milliseconds: Int32) -> Bool {
  var request = pollfd(fd: flag, events: Int16(POLLIN), revents: 0)
  return poll(&request, 1, milliseconds) > 0
}
