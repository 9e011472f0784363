package import CivilTime
import Reminders
package import Store

/// The deliveries that were in flight when the service ended. They are attempted again. Deliveries
/// that were in flight at three crashes are quarantined instead (rule D9).
package struct Orphans: Sendable {
  /// The number of deliveries by sink.
  package let counts: [String: Int]
  /// The deliveries to quarantine, which were in flight at the previous crashes too.
  package private(set) var quarantined: [Retry] = []
  /// The changes that quarantine deliveries, and that delay suspects: deliveries that were in
  /// flight at one crash fewer.
  package private(set) var effects = OutboxEffects()

  /// - Parameter suspects: the deliveries that were in flight at `Suspicion.deathsMax` crashes, or
  ///   at one fewer.
  package init(counts: [String: Int], suspects: [Retry], now: Instant) {
    self.counts = counts
    var aloneCount = 0
    for suspect in suspects {
      if suspect.deaths >= Suspicion.deathsMax {
        quarantine(suspect, now: now)
      } else {
        effects.changes.postpone(suspect.delivery, until: Suspicion.due(aloneCount, start: now))
        aloneCount += 1
      }
    }
  }

  /// Makes a delivery a dead letter, or ends a withdrawal without success.
  private mutating func quarantine(_ culprit: Retry, now: Instant) {
    guard !culprit.delivery.isWithdrawal else {
      return effects.changes.endWithdrawal(culprit, .notWithdrawn, at: now, Suspicion.reason)
    }
    let attempt = Attempt(
      of: culprit.delivery, by: culprit.sink, at: now, .rejected, reason: Suspicion.reason)
    effects.add(attempt, isFirst: false)
    effects.changes.wait(culprit, due: nil, reason: Suspicion.reason)
    effects.usage.add(.failed, culprit.delivery, at: now)
    quarantined.append(culprit)
  }

  /// Adds the fallbacks of quarantined deliveries. A delivery with a fallback is reported as moved,
  /// not as dead.
  package mutating func add(_ fallbacks: OutboxEffects) {
    effects.addReports(of: fallbacks)
  }

  /// The notes to report.
  package var notes: [DeliveryNote] {
    let moves = effects.notes.notes
    let moved = moves.compactMap { note in
      if case .movedOn(let retry, _, _) = note { DeliveryChanges.Key(retry.delivery) } else { nil }
    }
    let dead = quarantined.filter { !moved.contains(DeliveryChanges.Key($0.delivery)) }
    return counts.sorted { $0.key < $1.key }.map { .orphaned(count: $0.value, sink: $0.key) }
      + moves + dead.map { .dead($0, reason: Suspicion.reason) }
  }
}
