import CivilTime
import Reminders
import Store

/// The progress of retention (rule H7).
struct Pruning {
  /// Nil while nothing expires.
  var retention: Retention?
  /// When the next step is due.
  var next: Instant
  fileprivate var parts = KeptPart.allCases[...]
  fileprivate var place: Int64 = 0

  /// How many rows a step reads.
  fileprivate static let step = 128
  /// The pause between two steps, so that the engine is free most of the time.
  fileprivate static let pause = TimeSpan.milliseconds(20)
  /// The pause between two rounds. The first one follows `delay` after a start, which has more
  /// urgent work.
  fileprivate static let round = TimeSpan.hours(6)
  private static let delay = TimeSpan.minutes(1)

  init(now: Instant) {
    next = now + Self.delay
  }

  /// A clock that is set back does not delay the next step.
  mutating func clockWasSetBack(to now: Instant) {
    next = min(next, now + Self.round)
  }

  /// When a cycle is needed.
  var wake: Instant? { retention == nil ? nil : next }
}

extension EngineCore {
  /// Removes a few expired rows, if there is no other work.
  func prune(now: Instant) throws(StoreError) {
    guard let retention = pruning.retention, now >= pruning.next, !hasWork, !isDraining,
      clock.isTrusted
    else { return }
    guard let part = pruning.parts.first else {
      pruning.parts = KeptPart.allCases[...]
      pruning.next = now + Pruning.round
      return
    }
    pruning.next = now + Pruning.pause
    let age = clock.leaps.age(beyond: retention.span(of: part), now: now)
    do throws(StoreError) {
      let pruned = try store.prune(
        part, by: age, after: pruning.place, limit: Pruning.step,
        keeping: planner.isStillCounted)
      counters.pruned += pruned.removed
      pruning.place = pruned.place ?? 0
      if pruned.place == nil { pruning.parts.removeFirst() }
    } catch {
      guard error.isPassing else { throw error }
      pruning.next = now + Pruning.round
    }
  }
}

extension Planner {
  /// Whether an occurrence is a milestone of the recipient's current streak: it is sent once in
  /// that (rule I4).
  func isStillCounted(_ stored: StoredRecipient, _ reminder: Symbol, _ key: Int64) -> Bool {
    guard case .milestone(let trigger)? = catalog.reminder(reminder)?.trigger else {
      return false
    }
    let start = stored.recipient.facts.latest(of: trigger.since)
    return key == start?.time.milliseconds ?? .min
  }
}
