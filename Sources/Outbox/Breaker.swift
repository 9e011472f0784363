package import CivilTime

/// The state of the circuit breaker of a lane, which is the queue of one sink.
package enum BreakerState: String, CaseIterable, Sendable {
  /// The sink accepts deliveries.
  case closed
  /// The sink has failed and gets nothing during the pause.
  case open
  /// The sink has failed, the pause is over, and the next attempt tests whether it is back.
  case halfOpen = "half_open"
}

/// The circuit breaker of a lane (rule D3). The breaker stops dispatching during an outage of the
/// sink. From time to time it tests whether the sink is back, first with one delivery, later with
/// several.
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

  /// The number of deliveries in a test: one after the first two outages, then one more with each
  /// outage, at most 8. A sink may report an outage for a delivery that it cannot process. If this
  /// delivery were tested alone each time, it would block all others.
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

  /// Ends the outage, after the sink has answered a batch.
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
