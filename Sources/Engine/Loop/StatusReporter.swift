import Access
import CivilTime
import Store
import Systemd

/// Updates systemd's status line (rule S1), at most once a second. During a burst of due
/// recipients, the line is updated only if the store has failed or the clock is not trusted.
/// Otherwise it is updated at the end of the burst.
struct StatusReporter {
  /// The shortest time between two updates.
  private static let pause = TimeSpan.seconds(1)

  let board: StatusBoard
  private var lastUpdate = Instant(milliseconds: 0)
  /// Whether the line may be outdated.
  private var isChanged = false

  init(board: StatusBoard) {
    self.board = board
  }

  /// When the line may be updated again; nil if it is current.
  var wake: Instant? { isChanged ? lastUpdate + Self.pause : nil }

  /// Updates the line if an update is due. Called after each engine cycle.
  mutating func show(_ core: EngineCore, now: Instant) {
    guard board.isRead else { return }
    isChanged = true
    let isClockWrong = !core.clock.isTrusted
    let isStuck = core.storageFailure != nil || isClockWrong
    guard !core.hasWork || isStuck, now >= lastUpdate + Self.pause || now < lastUpdate
    else { return }
    lastUpdate = now
    isChanged = !board.show(Self.line(core, now: now))
  }

  static func line(_ core: EngineCore, now: Instant) -> String {
    do {
      return line(try core.status(now: now))
    } catch {
      return "the store cannot be read: \(error)"
    }
  }

  /// Returns the status line, such as "214 pending; next daily-checkin-reminder for 12 recipients
  /// at 2026-03-02T21:00:00.000Z".
  static func line(_ status: ServiceStatus) -> String {
    var line = status.storageFailure.map { "\($0); recipients due: \(status.due); " } ?? ""
    if let use = status.diskUse, use >= DiskWatch.limit { line += "\(DiskWatch.text(use)); " }
    if let loss = status.loss { line += "\(loss.events) acknowledged events were lost; " }
    if let hold = status.clockHold {
      line +=
        "the clock is behind the newest record at \(hold); nothing fires until the clock is right; "
    }
    if let leap = status.clockLeap {
      line += "the clock has leapt ahead to \(leap) and is not trusted yet; nothing is sent; "
    }
    switch status.recipientsSetAside {
    case 0: break
    case 1: line += "1 recipient is set aside, see the journal; "
    case let count: line += "\(count) recipients are set aside, see the journal; "
    }
    line += "\(status.pending) pending"
    if let next = status.next.first {
      let recipients = next.recipients == 1 ? "1 recipient" : "\(next.recipients) recipients"
      line += "; next \(next.reminder) for \(recipients) at \(next.at)"
    }
    if !status.lostZones.isEmpty { line += "; \(status.lostZones.summary)" }
    if let token = status.endingTokens.first {
      let otherCount = status.endingTokens.count - 1
      line +=
        "; " + token.sentence(at: status.now) + (otherCount > 0 ? " (and \(otherCount) more)" : "")
    }
    if let audit = status.audit, audit.differences > 0 {
      let recipients = audit.differences == 1 ? "1 recipient" : "\(audit.differences) recipients"
      line += "; the audit found differences for \(recipients), see the journal"
    }
    switch status.deadLetters {
    case 0: break
    case 1: line += "; 1 dead letter"
    case LaneBacklog.countMax...: line += "; at least \(LaneBacklog.countMax) dead letters"
    case let count: line += "; \(count) dead letters"
    }
    for lane in status.lanes {
      if lane.isPaused { line += "; \(lane.sink) is paused" }
      if let failure = lane.failure { line += "; \(lane.sink) fails: \(failure)" }
    }
    return line
  }
}
