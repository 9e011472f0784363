package import CivilTime

/// How a lane stands to its sink.
package enum BreakerState: String, CaseIterable, Sendable {
  /// The sink takes what it gets.
  case closed
  /// It has failed, and gets nothing for a while.
  case open
  /// It has failed, and the next attempt, which is made now, tells whether it is back.
  case halfOpen = "half_open"
}

/// Keeps a lane from its sink while that takes nothing, and lets a single delivery try from time to
/// time whether it does again (rule D3).
package struct Breaker: Hashable, Sendable {
  /// How many outages there were in a row.
  private(set) var outages = 0
  /// When the first of them was.
  package private(set) var since: Instant?
  /// What the sink said when it failed, while it fails.
  package private(set) var failure: String?
  /// When the next attempt may be made.
  package private(set) var resumption: Instant?
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
  }

  /// Whether the next to be handed over is to find out if the sink is back.
  var isHalfOpen: Bool { outages > 0 }

  func isOpen(at now: Instant) -> Bool { resumption.map { now < $0 } ?? false }

  package func state(at now: Instant) -> BreakerState {
    if isOpen(at: now) { return .open }
    return isHalfOpen ? .halfOpen : .closed
  }

  mutating func fail(_ outage: SinkOutage, now: Instant) {
    if outages == 0 { since = now }
    outages += 1
    failure = outage.description
    resumption = now + RetrySchedule.pause(afterOutages: outages, seed: seed)
  }

  /// An attempt begins.
  mutating func resume() {
    resumption = nil
  }

  mutating func recover() {
    outages = 0
    since = nil
    failure = nil
    resumption = nil
  }

  /// The pause begins anew, for it was measured by another clock.
  mutating func clockWasSetBack(to now: Instant) {
    since = since.map { min($0, now) }
    guard resumption != nil else { return }
    resumption = now + RetrySchedule.pause(afterOutages: outages, seed: seed)
  }
}
