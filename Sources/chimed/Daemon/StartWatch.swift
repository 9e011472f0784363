import Glibc
import Synchronization
import Systemd

/// Watches over a start, and hands the signals on that the service obeys.
///
/// It is a thread of its own, the first that there is, and needs nothing that a start may wait for:
/// no pool of threads, no event loop, no lock that is held for longer than a word is noted. So a
/// start ends whatever hangs: asked to, within seconds; and by itself once it stands still, so that
/// the service manager starts it anew.
final class StartWatch: Sendable {
  private struct State {
    var step = "reading the command line"
    var isWaiting = false
    var isOver = false
  }

  /// That of the program.
  static let shared = StartWatch()

  /// The signals of `ServiceSignals.all` as they come, those of the start included.
  let signals: AsyncStream<CInt>
  private let arrivals: AsyncStream<CInt>.Continuation
  private let state = Mutex(State())

  private init() {
    (signals, arrivals) = AsyncStream.makeStream()
  }

  /// Starts the thread. Signals are held already, for this thread and those that it starts.
  func begin() throws(SystemCallError) {
    let patience = getenv("CHIMED_START_PATIENCE").flatMap { Int(String(cString: $0)) }
    let judge = StartJudge(at: .now, patience: patience.map { .seconds($0) } ?? StartJudge.patience)
    try OperatingSystemThread(name: "start watch") { [self] in
      watch(judge)
      while let signal = ServiceSignals.next(within: nil) { arrivals.yield(signal) }
    }.detach()
  }

  /// Notes what the start is about to do, for whoever is told where it stood still.
  ///
  /// - Parameter isWaiting: whether nothing has begun that would have to end in order.
  func enter(_ step: String, isWaiting: Bool = false) {
    state.withLock { ($0.step, $0.isWaiting) = (step, isWaiting) }
  }

  /// The start is over: who serves obeys signals, and the watchdog watches.
  func conclude() { state.withLock { $0.isOver = true } }

  /// Returns when the start is over.
  private func watch(_ first: StartJudge) {
    var judge = first
    while true {
      let signal = ServiceSignals.next(within: .milliseconds(500))
      if let signal { arrivals.yield(signal) }
      let state = state.withLock { $0 }
      guard !state.isOver else { return }
      if let signal, signal != SIGHUP { judge.stop(at: .now) }
      let end = judge.look(
        at: state.step, isWaiting: state.isWaiting, work: Self.work(), now: .now)
      if let end { Self.finish(end) }
    }
  }

  /// What the process has done so far: its processor's time in milliseconds, and blocks of a disk.
  private static func work() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
    return seconds * 1_000 + microseconds / 1_000 + usage.ru_inblock + usage.ru_oublock
  }

  /// Ends the process. Whoever reads the journal may be what hangs, and is given a second; and so
  /// is who holds what another thread needs to say anything, which this one then says itself.
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

/// Decides when a start has to be ended.
struct StartJudge {
  enum End: Hashable {
    case stopped(step: String)
    case stalled(step: String, Duration)

    var message: String {
      switch self {
      case .stopped(let step): "stopped while it was starting: \(step)"
      case .stalled(let step, let span):
        "the start stood still for \(span.components.seconds) s: \(step); it is ended, so that the "
          + "service manager starts the service anew"
      }
    }

    var code: Int32 {
      switch self {
      case .stopped: 0
      case .stalled: 71
      }
    }
  }

  /// How long a start may stand still: less than the unit's `TimeoutStartSec=`.
  static let patience = Duration.seconds(40)
  /// How long one that is asked to stop may take to do so in order.
  static let farewell = Duration.seconds(5)
  /// More than watching takes, which is the process's work too.
  private static let least = 20

  private let patience: Duration
  private var step = ""
  private var work = 0
  /// When the start got on last.
  private var progress: MonotonicInstant
  private var asked: MonotonicInstant?

  init(at now: MonotonicInstant, patience: Duration = Self.patience) {
    self.patience = patience
    progress = now
  }

  /// The service is asked to stop.
  mutating func stop(at now: MonotonicInstant) { asked = asked ?? now }

  /// A start gets on when it comes to another step, or does some work: to read a large store takes
  /// as long as it takes.
  ///
  /// - Parameters:
  ///   - isWaiting: whether it can be stopped at once.
  ///   - work: what the process has done, in milliseconds or blocks.
  mutating func look(
    at step: String, isWaiting: Bool = false, work: Int, now: MonotonicInstant
  ) -> End? {
    if let asked, isWaiting || now - asked >= Self.farewell { return .stopped(step: step) }
    if step != self.step || work - self.work >= Self.least {
      (self.step, self.work, progress) = (step, work, now)
    }
    let span = now - progress
    return span >= patience ? .stalled(step: step, span) : nil
  }
}
