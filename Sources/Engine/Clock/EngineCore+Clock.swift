import CivilTime
import Outbox
import Reminders
import Store

/// The effects of the clock on planning (rule T6).
extension EngineCore {
  /// Refuses the requests of this engine cycle if the clock is too far behind the store's newest
  /// record. A reload of the service confirms that the clock is right.
  ///
  /// - Returns: whether the requests were refused, so that there is no cycle.
  func refuseIfHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clock.hold,
      clock.updateHold(at: now, isTrusted: requests.contains(where: \.isAdoption))
    else { return false }
    let refusal = ServiceUnavailable(
      .clockBehind,
      "the clock shows \(now), but the store's newest record is of \(hold); events and changes are "
        + "rejected until the clock has caught up; set the clock, or reload the service if it is "
        + "right")
    for request in requests where !answerAtOnce(request) { refuse(request, refusal) }
    return true
  }

  /// Advances to the time of a cycle, which is before the previous cycle's time if the clock was
  /// set back.
  func advanceClock(to now: Instant) {
    if now < clock.latest {
      outbox.clockWasSetBack(to: now)
      maintenance.pruning.clockWasSetBack(to: now)
      ingestion.submissionPoll.clockWasSetBack(to: now)
    }
    if clock.advance(to: now) {
      if schedule.stale.isEmpty { planning.beginReplanning() }
      schedule.replanEveryone()
    }
    if clock.leap == nil { schedule.advance(to: now) }
  }

  /// Records that a leap, a large forward jump of the clock, is trusted.
  ///
  /// - Parameter lead: by how much the clock has advanced more than the time since boot.
  func recordTrustedLeap(to now: Instant, by lead: TimeSpan) {
    clock.recordTrustedLeap(to: now, by: lead, notification: store.lastNotification)
  }

  /// Makes the retries due earlier after the clock was set back. When a retry that a gate held is
  /// due, its gates are evaluated again.
  func shiftRetries(_ turn: inout Turn) throws {
    guard clock.retryShift > .zero else { return }
    try turn.transaction.shiftRetries(by: clock.retryShift)
    try turn.transaction.trustClock(at: turn.now)
    turn.effects.answers.append { [self] in clock.clearRetryShift() }
  }
}
