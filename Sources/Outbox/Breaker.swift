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
/// time whether it does again, later a few (rule D3).
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

  /// How many may try that together. A sink that is asked for several things answers for each: if
  /// it is the first alone that it cannot take, though it says that it takes nothing, that one
  /// would keep all others waiting.
  var trialMax: Int { min(max(1, outages - 1), 8) }

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

/// Holds a lane to so many deliveries a second: a bucket that fills at that rate and holds what a
/// second brings.
struct TokenBucket: Hashable, Sendable {
  private let rate: Int64
  /// In thousandths of a delivery, which is what a millisecond brings at a rate of one a second.
  /// Below zero after more was taken than was there.
  private var level: Int64
  private var filled: Instant

  /// - Parameter rate: deliveries a second, at least 1.
  init(rate: Int, now: Instant) {
    self.rate = Int64(max(1, rate))
    level = self.rate * 1_000
    filled = now
  }

  /// How many are worth being handed over together, for each time costs a transaction: what a tenth
  /// of a second brings.
  var portion: Int { Int(max(1, rate / 10)) }

  /// How many may be handed over now.
  func available(at now: Instant) -> Int { Int(max(0, level(at: now) / 1_000)) }

  /// When so many may be handed over.
  ///
  /// - Parameter count: no more than a second brings.
  func ready(for count: Int, now: Instant) -> Instant {
    let missing = min(Int64(count), rate) * 1_000 - level(at: now)
    return missing <= 0 ? now : now + TimeSpan(milliseconds: (missing + rate - 1) / rate)
  }

  mutating func take(_ count: Int, now: Instant) {
    level = level(at: now) - Int64(count) * 1_000
    filled = now
  }

  /// Gives back what was taken and not handed over.
  mutating func putBack(_ count: Int) {
    level = min(rate * 1_000, level + Int64(count) * 1_000)
  }

  /// A clock that was set back brings nothing, and takes nothing away.
  private func level(at now: Instant) -> Int64 {
    // Longer than a second brings no more.
    let elapsed = min(max(0, now.milliseconds - filled.milliseconds), 1_000 * 1_000)
    return min(rate * 1_000, level + elapsed * rate)
  }
}
