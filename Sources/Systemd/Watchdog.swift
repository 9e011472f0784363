import CSystemd
import Glibc

/// The watchdog's check. It sends the service manager a keep-alive message only while every vital
/// subsystem makes progress (rule S2). Without a manager, a stalled process ends by itself, so that
/// a container runtime starts it again (rule S12).
package struct Watchdog: Sendable {
  private let manager: ServiceManager
  private let heartbeats: Heartbeats
  private let journal: Journal
  private let board: StatusBoard
  /// Begins to end the process; called if there is no manager.
  private let end: @Sendable () -> Void
  private var judgement = WatchdogJudgement()

  package init(
    manager: ServiceManager, heartbeats: Heartbeats, journal: Journal, board: StatusBoard,
    end: @escaping @Sendable () -> Void = beginStalledEnd
  ) {
    self.manager = manager
    self.heartbeats = heartbeats
    self.journal = journal
    self.board = board
    self.end = end
  }

  package mutating func turn(at now: MonotonicInstant) {
    // Send no keep-alive message and do not trigger the watchdog: the process exits by itself, with
    // the code that names the reason.
    guard !heartbeats.hasFailed else { return }
    let (isFed, news) = judgement.decide(late: heartbeats.late(at: now))
    if isFed { manager.watchdog() }
    for item in news { report(item) }
    heartbeats.ask(at: now)
  }

  /// Updates the status before writing to the journal, because the journal may be the cause of the
  /// delay.
  private func report(_ news: WatchdogJudgement.News) {
    switch news {
    case .slow(let part): reportSlow(part)
    case .stalled(let part): reportStalled(part)
    case .delayed(let part): reportDelayed(part)
    case .recovered(let part): reportRecovered(part)
    }
  }

  private func reportSlow(_ part: LatePart) {
    let (age, limit) = (LatePart.seconds(part.age), LatePart.seconds(part.allowance))
    board.remark(on: part.name, "\(part.name) makes no progress")
    journal.send(
      .progressSlow,
      "\(part.name) has made no progress for \(age); after \(limit) the service is restarted",
      fields: [(.reason, part.name)])
  }

  private func reportStalled(_ part: LatePart) {
    board.remark(on: part.name, "stalled: \(part.name)")
    // Begin the end before writing to the journal, because the journal may be the part that hangs.
    if !manager.isPresent { end() }
    let consequence =
      manager.isPresent
      ? "the service manager is asked to restart the service" : "the process ends with 70"
    journal.send(
      .watchdogStalled,
      "\(part.name) has made no progress for \(LatePart.seconds(part.age)); \(consequence)",
      fields: [(.reason, part.name)])
    manager.triggerWatchdog()
  }

  private func reportDelayed(_ part: LatePart) {
    let age = LatePart.seconds(part.age)
    board.remark(on: part.name, "\(part.name) takes long to answer")
    journal.send(
      .sinkSlow,
      "\(part.name) has not answered for \(age); its deliveries wait, others continue",
      fields: [(.sink, part.name)])
  }

  private func reportRecovered(_ part: LatePart) {
    board.remark(on: part.name, nil)
    guard part.isVital else {
      return journal.send(
        .sinkRecovered, "\(part.name) has answered", fields: [(.sink, part.name)])
    }
    journal.send(
      .progressResumed, "\(part.name) makes progress again", fields: [(.reason, part.name)])
  }
}

/// Ends the process with the exit code 70 (sysexits(3)) after a second, in which the reason can be
/// logged.
///
/// A signal might have no effect: the kernel ignores fatal signals that the first process of a
/// container sends to itself.
package func beginStalledEnd() {
  let code: Int32 = 70
  do {
    try OperatingSystemThread(name: "watchdog end") {
      _ = poll(nil, 0, 1_000)
      _exit(code)
    }.detach()
  } catch {
    _exit(code)
  }
}

/// Decides how the watchdog treats late subsystems.
struct WatchdogJudgement: Sendable {
  /// A change to report, once for each occurrence.
  enum News: Equatable {
    /// Half of the time until a restart has passed.
    case slow(LatePart)
    /// The subsystem makes no progress, and a restart would help.
    case stalled(LatePart)
    /// The subsystem has been busy for a long time, but a restart would not help.
    case delayed(LatePart)
    /// The subsystem makes progress again.
    case recovered(LatePart)
  }

  private enum Stage: Comparable {
    case slow, stalled, delayed
  }

  /// The subsystems reported as late.
  private var reported: [(part: LatePart, stage: Stage)] = []

  /// - Returns: whether to send the manager a keep-alive message, and the changes to report.
  mutating func decide(late: [LatePart]) -> (isFed: Bool, news: [News]) {
    var news: [News] = []
    let previous = reported
    reported = late.compactMap { part in Self.stage(of: part).map { (part, $0) } }
    for (part, _) in previous where !reported.contains(where: { $0.part.name == part.name }) {
      news.append(.recovered(part))
    }
    for (part, stage) in reported
    where !previous.contains(where: { $0.part.name == part.name && $0.stage >= stage }) {
      switch stage {
      case .slow: news.append(.slow(part))
      case .stalled: news.append(.stalled(part))
      case .delayed: news.append(.delayed(part))
      }
    }
    return (!reported.contains { $0.stage == .stalled }, news)
  }

  private static func stage(of part: LatePart) -> Stage? {
    if part.isVital { return part.isStale ? .stalled : .slow }
    return part.isStale ? .delayed : nil
  }
}
