import CivilTime
import Outbox
import Reminders
import Store

/// What sinks had when the service ended without an answer: attempted again, and set aside if the
/// service dies of it (rule D2).
extension EngineCore {
  struct Orphans {
    /// By sink.
    var counts: [String: Int]
    /// What is given up, and was on its way at the last death.
    var setAside: [Retry] = []
  }

  /// Takes in what the start before has left with sinks, before lanes are made.
  func takeOrphans(now: Instant, in transaction: StoreTransaction) throws -> Orphans {
    let wasStopped = try transaction.beginBoot()
    var orphans = Orphans(
      counts: try transaction.takeOrphans(now: now, isDeath: !wasStopped))
    var alone = 0
    for suspect in try transaction.suspects(deaths: Suspicion.deathsMax - 1) {
      if suspect.deaths >= Suspicion.deathsMax {
        try setAside(suspect, now: now, in: transaction)
        orphans.setAside.append(suspect)
      } else {
        try transaction.postpone(suspect.delivery, until: Suspicion.due(alone, start: now))
        alone += 1
      }
    }
    return orphans
  }

  private func setAside(
    _ culprit: Retry, now: Instant, in transaction: StoreTransaction
  ) throws {
    try transaction.keepNext(
      Attempt(
        of: culprit.delivery, by: culprit.sink, at: now, .rejected, reason: Suspicion.reason))
    try transaction.saveRetry(culprit, due: nil, reason: Suspicion.reason)
    try count(.failed, culprit.delivery, at: now, in: transaction)
  }

  /// Puts on record, once, that what sinks have is not what ends the service.
  func noteStop() throws(StoreError) {
    let isAnythingWithSinks = lanes.contains { !$0.batch.isEmpty } || !leaving.isEmpty
    guard !isStopNoted, isAnythingWithSinks else { return }
    do {
      try store.transaction { try $0.noteStop() }
      isStopNoted = true
    } catch {
      // The next turn tries again.
      guard case .full = error else { throw error }
    }
  }
}
