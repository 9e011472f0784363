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
  /// Begins to end the process. It is called if a vital subsystem stalls and there is no manager.
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

  /// Sends a keep-alive message if every vital subsystem makes progress, and reports changes.
  package mutating func check(at now: MonotonicInstant) {
    // After a failure the process exits by itself, with a code that names the reason. So the
    // manager gets no keep-alive message, and its watchdog is not triggered.
    guard !heartbeats.hasFailed else { return }
    let (isAlive, changes) = judgement.decide(late: heartbeats.late(at: now))
    if isAlive { manager.watchdog() }
    for change in changes { report(change) }
    heartbeats.ask(at: now)
  }

  /// Updates the status before writing to the journal, because the journal may be the cause of the
  /// delay.
  private func report(_ change: WatchdogJudgement.Change) {
    switch change {
    case .slow(let subsystem): reportSlow(subsystem)
    case .stalled(let subsystem): reportStalled(subsystem)
    case .delayed(let subsystem): reportDelayed(subsystem)
    case .recovered(let subsystem): reportRecovered(subsystem)
    }
  }

  private func reportSlow(_ subsystem: LateSubsystem) {
    let age = LateSubsystem.seconds(subsystem.age)
    let limit = LateSubsystem.seconds(subsystem.allowance)
    board.remark(on: subsystem.name, "\(subsystem.name) makes no progress")
    journal.send(
      .progressSlow,
      "\(subsystem.name) has made no progress for \(age); after \(limit) the service is restarted",
      fields: [(.reason, subsystem.name)])
  }

  private func reportStalled(_ subsystem: LateSubsystem) {
    board.remark(on: subsystem.name, "stalled: \(subsystem.name)")
    // Begin the end before writing to the journal, because the journal may be what hangs.
    if !manager.isPresent { end() }
    let consequence =
      manager.isPresent
      ? "the service manager is asked to restart the service" : "the process ends with 70"
    let age = LateSubsystem.seconds(subsystem.age)
    journal.send(
      .watchdogStalled, "\(subsystem.name) has made no progress for \(age); \(consequence)",
      fields: [(.reason, subsystem.name)])
    manager.triggerWatchdog()
  }

  private func reportDelayed(_ subsystem: LateSubsystem) {
    let age = LateSubsystem.seconds(subsystem.age)
    board.remark(on: subsystem.name, "\(subsystem.name) takes long to answer")
    journal.send(
      .sinkSlow,
      "\(subsystem.name) has not answered for \(age); its deliveries wait, others continue",
      fields: [(.sink, subsystem.name)])
  }

  private func reportRecovered(_ subsystem: LateSubsystem) {
    board.remark(on: subsystem.name, nil)
    guard subsystem.isVital else {
      return journal.send(
        .sinkRecovered, "\(subsystem.name) has answered", fields: [(.sink, subsystem.name)])
    }
    journal.send(
      .progressResumed, "\(subsystem.name) makes progress again",
      fields: [(.reason, subsystem.name)])
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
  /// A change of a subsystem's progress, to be reported once.
  enum Change: Equatable {
    /// Half of the time until a restart has passed.
    case slow(LateSubsystem)
    /// The subsystem makes no progress, and a restart would help.
    case stalled(LateSubsystem)
    /// The subsystem has been busy for a long time, but a restart would not help.
    case delayed(LateSubsystem)
    /// The subsystem makes progress again.
    case recovered(LateSubsystem)
  }

  private enum Stage: Comparable {
    case slow, stalled, delayed
  }

  /// The subsystems reported as late.
  private var reported: [(subsystem: LateSubsystem, stage: Stage)] = []

  /// - Returns: whether to send the manager a keep-alive message, and the changes to report.
  mutating func decide(late: [LateSubsystem]) -> (isAlive: Bool, changes: [Change]) {
    var changes: [Change] = []
    let previous = reported
    reported = late.compactMap { subsystem in Self.stage(of: subsystem).map { (subsystem, $0) } }
    for (subsystem, _) in previous
    where !reported.contains(where: { $0.subsystem.name == subsystem.name }) {
      changes.append(.recovered(subsystem))
    }
    for (subsystem, stage) in reported
    where !previous.contains(where: { $0.subsystem.name == subsystem.name && $0.stage >= stage }) {
      switch stage {
      case .slow: changes.append(.slow(subsystem))
      case .stalled: changes.append(.stalled(subsystem))
      case .delayed: changes.append(.delayed(subsystem))
      }
    }
    return (!reported.contains { $0.stage == .stalled }, changes)
  }

  private static func stage(of subsystem: LateSubsystem) -> Stage? {
    if subsystem.isVital { return subsystem.isStale ? .stalled : .slow }
    return subsystem.isStale ? .delayed : nil
  }
}
