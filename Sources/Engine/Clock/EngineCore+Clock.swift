import CivilTime
import Outbox
import Reminders
import Store

/// The effects of the clock on planning (rule T6).
extension EngineCore {
  /// Refuses the requests of this cycle if the clock forbids the cycle. A reload of the service
  /// vouches for the clock.
  ///
  /// - Returns: whether the clock forbids the cycle.
  func refuseIfHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clock.hold,
      clock.updateHold(at: now, isTrusted: requests.contains(where: \.isAdoption))
    else { return false }
    let behind = ServiceUnavailable(
      .clockBehind,
      "the service's clock is at \(now), before its newest record at \(hold); nothing is ingested "
        + "until the clock has caught up; set it, or reload the service if the clock is right")
    for request in requests where !answerAtOnce(request) { refuse(request, behind) }
    return true
  }

  /// Advances to the time of a cycle. It is earlier than the previous cycle's time if the clock was
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

  /// Records that a leap of the clock is trusted.
  ///
  /// - Parameter lead: how far the clock is ahead of the elapsed time.
  func recordTrustedLeap(to now: Instant, by lead: TimeSpan) {
    clock.recordTrustedLeap(to: now, by: lead, notification: store.lastNotification)
  }

  /// Moves the times of the retries after the clock was set back. The gates that held retries are
  /// evaluated again.
  func shiftRetries(_ turn: inout Turn) throws {
    guard clock.retryShift > .zero else { return }
    try turn.transaction.shiftRetries(by: clock.retryShift)
    try turn.transaction.trustClock(at: turn.now)
    turn.effects.answers.append { [self] in clock.clearRetryShift() }
  }
}
