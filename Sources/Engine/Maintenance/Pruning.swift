import CivilTime
import Reminders
import Store

/// The progress of retention (rule H7). A round examines all rows of all parts, in small steps.
struct Pruning {
  /// How long the store keeps data; nil for no limit.
  var retention: Retention?
  /// When the next step is due.
  var next: Instant
  /// The parts that this round still examines, the current one first.
  private(set) var parts = RetentionPart.allCases[...]
  /// When the last round ended; the start of the service until the first round has ended.
  private(set) var lastEnd: Instant
  /// The cursor in the current part.
  private(set) var cursor: Int64 = 0

  /// How many rows a step reads.
  static let step = 128
  /// The pause between two steps, so that the engine is free most of the time.
  private static let pause = TimeSpan.milliseconds(20)
  /// The pause between two rounds. The first round follows `delay` after a start, which has more
  /// urgent work.
  private static let round = TimeSpan.hours(6)
  private static let delay = TimeSpan.minutes(1)

  init(now: Instant) {
    next = now + Self.delay
    lastEnd = now
  }

  /// Makes the next step due at the latest at `now` plus the pause between two rounds. So a clock
  /// that was set back does not delay the step for long.
  mutating func clockWasSetBack(to now: Instant) {
    next = min(next, now + Self.round)
    lastEnd = min(lastEnd, now)
  }

  /// When the next step is due; nil if nothing is ever removed.
  var wake: Instant? { retention == nil ? nil : next }

  func isDue(at now: Instant) -> Bool { wake.map { now >= $0 } ?? false }

  /// Makes the next step due after a pause.
  mutating func beginStep(at now: Instant) { next = now + Self.pause }

  /// Advances after a step, to the next part if there is no cursor.
  mutating func endStep(at cursor: Int64?) {
    self.cursor = cursor ?? 0
    if cursor == nil { parts.removeFirst() }
  }

  /// Ends the round; the next one begins after a pause, with all parts.
  mutating func endRound(at now: Instant) {
    parts = RetentionPart.allCases[...]
    next = now + Self.round
    lastEnd = now
  }

  /// Tries the current step again after the pause between two rounds.
  mutating func postponeStep(at now: Instant) { next = now + Self.round }
}

extension Planner {
  /// Returns whether an occurrence is a milestone of the recipient's current streak: each milestone
  /// is sent once in a streak (rule I4).
  func isCurrentMilestone(_ stored: StoredRecipient, _ reminder: Symbol, _ key: Int64) -> Bool {
    guard case .milestone(let trigger)? = catalog.reminder(reminder)?.trigger else {
      return false
    }
    let start = stored.recipient.facts.latest(of: trigger.since)
    return key == start?.time.milliseconds ?? .min
  }
}
