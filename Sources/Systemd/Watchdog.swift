import CSystemd
import Glibc
import Synchronization

/// One turn of the watchdog: asks the heartbeats, and feeds the service manager only while every
/// subsystem that a restart would cure gets on with its work (S2).
package struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let heartbeats: Heartbeats
  private let journal: Journal
  private let board: StatusBoard
  private var judgement = WatchdogJudgement()

  package init(
    manager: ServiceManager, heartbeats: Heartbeats, journal: Journal, board: StatusBoard
  ) {
    self.manager = manager
    self.heartbeats = heartbeats
    self.journal = journal
    self.board = board
  }

  package mutating func turn(at now: MonotonicInstant) {
    // Neither fed nor triggered: the process ends by itself, with the code that says why.
    guard !heartbeats.hasFailed else { return }
    let (isFed, news) = judgement.decide(late: heartbeats.late(at: now))
    if isFed { manager.watchdog() }
    for item in news { tell(item) }
    heartbeats.ask(at: now)
  }

  /// The status comes first, as the journal may be what holds everything up.
  private func tell(_ news: WatchdogJudgement.News) {
    switch news {
    case .slow(let part): tellSlow(part)
    case .stalled(let part): tellStalled(part)
    case .delayed(let part): tellDelayed(part)
    case .recovered(let part): tellRecovered(part)
    }
  }

  private func tellSlow(_ part: LatePart) {
    let (age, limit) = (LatePart.seconds(part.age), LatePart.seconds(part.allowance))
    board.remark(on: part.name, "\(part.name) makes no progress")
    journal.send(
      .progressSlow,
      "\(part.name) has made no progress for \(age); after \(limit) the service is restarted",
      fields: [(.reason, part.name)])
  }

  private func tellStalled(_ part: LatePart) {
    board.remark(on: part.name, "stalled: \(part.name)")
    journal.send(
      .watchdogStalled,
      "\(part.name) has made no progress for \(LatePart.seconds(part.age)); "
        + "the service manager is asked to restart the service",
      fields: [(.reason, part.name)])
    manager.triggerWatchdog()
  }

  private func tellDelayed(_ part: LatePart) {
    let age = LatePart.seconds(part.age)
    board.remark(on: part.name, "\(part.name) takes long to answer")
    journal.send(
      .sinkSlow,
      "\(part.name) has not answered for \(age); what it was handed waits, and nothing else does",
      fields: [(.sink, part.name)])
  }

  private func tellRecovered(_ part: LatePart) {
    board.remark(on: part.name, nil)
    guard part.isVital else {
      return journal.send(
        .sinkRecovered, "\(part.name) has answered", fields: [(.sink, part.name)])
    }
    journal.send(
      .progressResumed, "\(part.name) makes progress again", fields: [(.reason, part.name)])
  }
}

/// Decides what the watchdog does about the subsystems that are late.
struct WatchdogJudgement: Sendable {
  /// What there is to tell, once for each time that it comes to be so.
  enum News: Equatable {
    /// Half of the time is over that it has until the service is restarted for it.
    case slow(LatePart)
    /// It stands still; a restart would cure that.
    case stalled(LatePart)
    /// It has been at something for long that a restart would not make shorter.
    case delayed(LatePart)
    /// It gets on again.
    case recovered(LatePart)
  }

  private enum Stage: Comparable {
    case slow, stalled, delayed
  }

  /// Those that were told of.
  private var told: [(part: LatePart, stage: Stage)] = []

  /// - Returns: whether to give the manager a sign of life, and what to tell.
  mutating func decide(late: [LatePart]) -> (isFed: Bool, news: [News]) {
    var news: [News] = []
    let before = told
    told = late.compactMap { part in Self.stage(of: part).map { (part, $0) } }
    for (part, _) in before where !told.contains(where: { $0.part.name == part.name }) {
      news.append(.recovered(part))
    }
    for (part, stage) in told
    where !before.contains(where: { $0.part.name == part.name && $0.stage >= stage }) {
      switch stage {
      case .slow: news.append(.slow(part))
      case .stalled: news.append(.stalled(part))
      case .delayed: news.append(.delayed(part))
      }
    }
    return (!told.contains { $0.stage == .stalled }, news)
  }

  private static func stage(of part: LatePart) -> Stage? {
    if part.isVital { return part.isStale ? .stalled : .slow }
    return part.isStale ? .delayed : nil
  }
}

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
    manager: ServiceManager, heartbeats: Heartbeats, journal: Journal, board: StatusBoard,
    now: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) -> WatchdogThread? {
    guard let interval = manager.watchdogInterval else { return nil }
    let watchdog = Watchdog(
      manager: manager, heartbeats: heartbeats, journal: journal, board: board)
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
