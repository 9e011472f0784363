import Glibc
import Synchronization
import Systemd

/// Supervises the start, and passes signals to the service.
///
/// The watch runs on its own thread, the first that the process starts. This thread uses nothing
/// that a start may wait for: no thread pool, no event loop, and no lock that is held for long. So
/// a start that hangs always ends. A signal ends it within seconds; otherwise a timeout ends it,
/// and the service manager restarts the service.
final class StartWatch: Sendable {
  private struct State {
    var step = "reading the command line"
    /// Whether the process can be ended immediately.
    var isWaiting = false
    /// Whether the supervision has ended.
    var isOver = false
  }

  /// The watch of this process.
  static let shared = StartWatch()

  /// The signals of `ServiceSignals.all` as they arrive, including those during the start.
  let signals: AsyncStream<CInt>
  private let arrivals: AsyncStream<CInt>.Continuation
  private let state = Mutex(State())

  private init() {
    (signals, arrivals) = AsyncStream.makeStream()
  }

  /// Starts the thread. The signals are already blocked for the calling thread, and so for all
  /// threads that it starts.
  func begin() throws(SystemCallError) {
    let seconds = getenv("CHIMED_START_TIMEOUT").flatMap { Int(String(cString: $0)) }
    let judge = StartJudge(at: .now, timeout: seconds.map { .seconds($0) } ?? StartJudge.timeout)
    try OperatingSystemThread(name: "start watch") { [self] in
      watch(judge)
      while let signal = ServiceSignals.next(within: nil) { arrivals.yield(signal) }
    }.detach()
  }

  /// Records the next step of the start, for the message about a hang.
  ///
  /// - Parameter isWaiting: whether the process can be ended immediately, because nothing needs an
  ///   orderly stop.
  func enter(_ step: String, isWaiting: Bool = false) {
    state.withLock { ($0.step, $0.isWaiting) = (step, isWaiting) }
  }

  /// Ends the supervision: from now on the service handles signals, and the watchdog supervises.
  func endSupervision() { state.withLock { $0.isOver = true } }

  /// Supervises the start, and returns when it is over.
  private func watch(_ initialJudge: StartJudge) {
    var judge = initialJudge
    while true {
      let signal = ServiceSignals.next(within: .milliseconds(500))
      if let signal { arrivals.yield(signal) }
      let state = state.withLock { $0 }
      guard !state.isOver else { return }
      if let signal, signal != SIGHUP { judge.stop(at: .now) }
      let end = judge.check(
        at: state.step, isWaiting: state.isWaiting, work: Self.work(), now: .now)
      if let end { Self.finish(end) }
    }
  }

  /// Returns the work of the process so far: CPU time in milliseconds plus disk blocks.
  private static func work() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
    return seconds * 1_000 + microseconds / 1_000 + usage.ru_inblock + usage.ru_oublock
  }

  /// Ends the process. The journal gets one second, because the journal's reader may hang, or
  /// another thread may hold a lock that logging needs. After that this thread writes the message
  /// itself.
  private static func finish(_ end: StartJudge.End) -> Never {
    let message = end.message
    let line = Array("chimed: \(message)\n".utf8)
    _ = try? OperatingSystemThread(name: "start end") {
      let journal = Journal.inherited()
      if end.code == 0 {
        journal.send(.stopped, message)
      } else {
        journal.send(.startFailed, message, fields: [(.reason, message)])
      }
      _exit(end.code)
    }.detach()
    _ = poll(nil, 0, 1_000)
    var errors = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&errors, 1, 0) == 1 { _ = write(STDERR_FILENO, line, line.count) }
    _exit(end.code)
  }
}
