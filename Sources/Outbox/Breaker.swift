package import CivilTime

/// The state of a lane's circuit breaker.
package enum BreakerState: String, CaseIterable, Sendable {
  /// The sink accepts deliveries.
  case closed
  /// The sink has failed and gets nothing during the pause.
  case open
  /// The sink has failed, the pause is over, and the next attempt tests whether it is back.
  case halfOpen = "half_open"
}

/// The circuit breaker of a lane (rule D3). It stops dispatching during an outage of the sink. From
/// time to time it tests whether the sink is back, first with one delivery, later with several.
package struct Breaker: Hashable, Sendable {
  /// The number of consecutive outages.
  private(set) var outages = 0
  /// The start of the first of these outages; nil while the sink works.
  package private(set) var since: Instant?
  /// The reason of the latest failure; nil while the sink works.
  package private(set) var failure: String?
  /// The instant at which the next attempt may begin; nil if there is no pause.
  package private(set) var resumption: Instant?
  /// The earliest instant of the next attempt, however urgent a delivery is.
  private var earliest: Instant?
  /// Seeds the random pauses.
  let seed: UInt64

  /// The shortest pause after an outage.
  private static let pauseMin = TimeSpan.seconds(1)

  init(seed: UInt64) {
    self.seed = seed
  }

  /// Whether the next attempt is a test.
  var isHalfOpen: Bool { outages > 0 }

  /// The number of deliveries in a test, which grows with each outage. A sink may report an outage
  /// for a delivery that it cannot process; if this delivery were tested alone each time, it would
  /// block all others.
  var trialMax: Int { min(max(1, outages - 1), 8) }

  /// Returns whether the sink is in a pause, so that it gets nothing.
  func isOpen(at now: Instant) -> Bool { resumption.map { now < $0 } ?? false }

  package func state(at now: Instant) -> BreakerState {
    if isOpen(at: now) { return .open }
    return isHalfOpen ? .halfOpen : .closed
  }

  /// Begins a pause after an outage.
  mutating func fail(_ outage: SinkOutage, now: Instant) {
    if outages == 0 { since = now }
    outages += 1
    failure = outage.description
    pause(from: now)
  }

  private mutating func pause(from now: Instant) {
    resumption = now + RetrySchedule.pause(afterOutages: outages, seed: seed)
    earliest = now + Self.pauseMin
  }

  /// Allows the next attempt at `limit`, but at the earliest a second after the last outage. So
  /// many urgent deliveries cause at most one attempt a second.
  mutating func shortenPause(to limit: Instant) {
    guard let resumption, let earliest else { return }
    self.resumption = min(resumption, max(limit, earliest))
  }

  /// Ends the pause, when an attempt begins.
  mutating func resume() {
    resumption = nil
  }

  /// Ends the outage, after the sink has accepted a batch.
  mutating func recover() {
    outages = 0
    since = nil
    failure = nil
    resumption = nil
  }

  /// Restarts the pause, because it was computed from the clock's earlier time.
  mutating func clockWasSetBack(to now: Instant) {
    since = since.map { min($0, now) }
    guard resumption != nil else { return }
    pause(from: now)
  }
}

/// Limits a lane to a rate of deliveries: a token bucket whose capacity is one second's rate.
struct TokenBucket: Hashable, Sendable {
  /// Deliveries per second.
  private let rate: Int64
  /// The tokens, in thousandths of a delivery: at a rate of one delivery per second, each
  /// millisecond adds one. The level is negative after more tokens were consumed than were
  /// available.
  private var level: Int64
  /// The instant at which the bucket had `level`.
  private var levelTime: Instant

  /// - Parameter rate: deliveries per second, at least 1.
  init(rate: Int, now: Instant) {
    self.rate = Int64(max(1, rate))
    level = self.rate * 1_000
    levelTime = now
  }

  /// The number of deliveries in the smallest batch that is worth a transaction: a tenth of a
  /// second's rate.
  var portion: Int { Int(max(1, rate / 10)) }

  /// Returns the number of deliveries that may be dispatched now.
  func available(at now: Instant) -> Int { Int(max(0, level(at: now) / 1_000)) }

  /// Returns when `count` deliveries may be dispatched.
  ///
  /// - Parameter count: at most one second's rate.
  func ready(for count: Int, now: Instant) -> Instant {
    let missingTokens = min(Int64(count), rate) * 1_000 - level(at: now)
    guard missingTokens > 0 else { return now }
    return now + TimeSpan(milliseconds: (missingTokens + rate - 1) / rate)
  }

  /// Takes the tokens of deliveries that are dispatched, even if there are not enough.
  mutating func consume(_ count: Int, now: Instant) {
    level = level(at: now) - Int64(count) * 1_000
    levelTime = now
  }

  /// Gives back the tokens of deliveries that were not dispatched.
  mutating func refund(_ count: Int) {
    level = min(rate * 1_000, level + Int64(count) * 1_000)
  }

  /// Returns the tokens at an instant. A clock that was set back adds and removes no tokens.
  private func level(at now: Instant) -> Int64 {
    // The bucket is full after one second; the bound prevents an overflow.
    let elapsed = min(max(0, now.milliseconds - levelTime.milliseconds), 1_000 * 1_000)
    return min(rate * 1_000, level + elapsed * rate)
  }
}
