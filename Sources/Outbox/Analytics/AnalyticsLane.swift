package import CivilTime
import Reminders

/// The lane of analytics events (rule M1): the sink gets them in the order in which they were
/// written, each at least once. A pure state machine.
///
/// No queue is kept in memory: the events after the cursor are read from the store when they are
/// dispatched. So a sink that is down costs nothing, and events of recipients erased meanwhile are
/// not sent (rule H4).
package struct AnalyticsLane: Sendable {
  /// The maximum number of events in flight, which a crash repeats.
  package static let window = 64

  /// The attempt after which the pauses stop growing. All later events wait for a retried one, so a
  /// day's pause, as for the last attempts of a delivery, is too long.
  static let growingAttempts = 3

  /// The number of this lane among all since the start.
  package let number: Int
  package let sink: String
  /// The cursor: the sink has answered everything up to this event.
  package private(set) var cursor: Int64
  package private(set) var breaker: Breaker
  /// The events in flight.
  package private(set) var batch: [AnalyticsItem] = []
  /// Counters of the sink's answers since the lane was created.
  package private(set) var answers = LaneCounters()
  /// When and why the sink last did not accept an event.
  package private(set) var lastFailure: SinkFailure?
  /// When the first event is retried after a failure; nil without one.
  package private(set) var retry: Instant?
  private var attempts = 0
  private var dispatchedAt: Instant
  /// Whether there may be events after the cursor.
  private var hasMore = true
  private var bucket: TokenBucket?

  package init(number: Int, sink: SinkTraits, cursor: Int64, now: Instant) {
    (self.number, self.sink, self.cursor) = (number, sink.name, cursor)
    dispatchedAt = now
    breaker = Breaker(seed: sink.seed)
    bucket = sink.rate.map { TokenBucket(rate: $0, now: now) }
  }

  /// Called when events were written.
  package mutating func offer() { hasMore = true }

  /// Stops reading events until `offer`.
  mutating func rest() { hasMore = false }

  // MARK: - Dispatching

  /// Returns the number of events to read after the cursor and dispatch now; 0 for none.
  package func allowance(at now: Instant) -> Int {
    guard let wake = wake(now: now), wake <= now else { return 0 }
    return min(wanted, bucket?.available(at: now) ?? wanted)
  }

  /// Returns when the lane needs a cycle; nil if there is nothing to do, or a batch is in flight,
  /// whose answer causes a cycle.
  package func wake(now: Instant) -> Instant? {
    guard batch.isEmpty, hasMore else { return nil }
    let ready = bucket?.ready(for: min(wanted, bucket?.portion ?? wanted), now: now)
    return [now, retry, breaker.resumption, ready].compactMap { $0 }.max()
  }

  /// After a failure a single event tests whether the sink is back.
  private var wanted: Int { breaker.isHalfOpen || attempts > 0 ? 1 : Self.window }

  /// Begins a batch of events read after the cursor.
  package mutating func dispatch(_ events: [AnalyticsItem], now: Instant) {
    hasMore = !events.isEmpty
    batch = events
    dispatchedAt = now
    retry = nil
    breaker.resume()
    bucket?.consume(events.count, now: now)
  }

  // MARK: - Answers

  /// Returns the effects of a sink's answer, to be written before `conclude`.
  package func settlement(
    of result: Result<[SinkAnswer], SinkOutage>, now: Instant
  ) -> AnalyticsSettlement {
    var settlement = AnalyticsSettlement(lane: number, sink: sink, cursor: cursor)
    switch result {
    case .failure(let outage): settlement.outage = outage
    case .success(let answers) where answers.isEmpty || answers.count > batch.count:
      settlement.outage = SinkOutage("it answered \(answers.count) of \(batch.count) events")
    case .success(let answers):
      settlement.follow(answers, to: batch, attemptsBefore: attempts, now: now)
      settlement.hasRecovered = breaker.isHalfOpen
    }
    return settlement
  }

  /// Applies a settlement that was committed.
  package mutating func conclude(_ settlement: AnalyticsSettlement, now: Instant) {
    if let outage = settlement.outage {
      breaker.fail(outage, now: now)
      answers.outages += 1
    } else {
      breaker.recover()
      answers.add(LaneCounters(settlement.answers, after: now - dispatchedAt))
      attempts = settlement.retry == nil ? 0 : settlement.cursor > cursor ? 1 : attempts + 1
    }
    if let reason = settlement.failure { lastFailure = SinkFailure(at: now, reason: reason) }
    retry = settlement.retry?.due
    cursor = settlement.cursor
    batch = []
  }

  /// Restarts the breaker's pause and makes a retry due at once, because both were measured by the
  /// earlier clock.
  package mutating func clockWasSetBack(to now: Instant) {
    breaker.clockWasSetBack(to: now)
    if retry != nil { retry = now }
  }
}
