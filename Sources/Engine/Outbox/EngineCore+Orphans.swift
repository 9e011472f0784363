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
  func takeOrphans(now: Instant, in transaction: any StoreWriter) throws -> Orphans {
    let wasStopped = try transaction.beginBoot()
    var orphans = Orphans(
      counts: try transaction.takeOrphans(now: now, isDeath: !wasStopped))
    var alone = 0
    var changes = DeliveryChanges()
    for suspect in try transaction.suspects(deaths: Suspicion.deathsMax - 1) {
      if suspect.deaths >= Suspicion.deathsMax {
        setAside(suspect, now: now, &changes)
        try count(.failed, suspect.delivery, at: now, in: transaction)
        orphans.setAside.append(suspect)
      } else {
        changes.postpone(suspect.delivery, until: Suspicion.due(alone, start: now))
        alone += 1
      }
    }
    try transaction.keep(changes)
    return orphans
  }

  private func setAside(_ culprit: Retry, now: Instant, _ changes: inout DeliveryChanges) {
    changes.laterAttempts.append(
      Attempt(
        of: culprit.delivery, by: culprit.sink, at: now, .rejected, reason: Suspicion.reason))
    changes.wait(culprit, due: nil, reason: Suspicion.reason)
  }

  /// Puts on record, once, that what sinks have is not what ends the service.
  func noteStop() throws(StoreError) {
    let isAnythingWithSinks = lanes.contains { !$0.batch.isEmpty } || !leaving.isEmpty
    guard !isStopNoted, isAnythingWithSinks else { return }
    do {
      try store.commit { try $0.noteStop() }
      isStopNoted = true
    } catch {
      // The next turn tries again.
      guard case .full = error else { throw error }
    }
  }
}
