package import CivilTime
import Reminders

/// The lane of analytics events (rule M1): the events that wait for one sink, as a pure state
/// machine. The sink gets the events in the order in which they were written, each at least once.
///
/// No queue is kept in memory: the events after the cursor are read from the store when they are
/// dispatched. So a sink that is down costs nothing, and events of recipients erased meanwhile are
/// not sent (rule H4).
package struct AnalyticsLane: Sendable {
  /// The maximum number of events in flight. A crash repeats at most this many events.
  package static let window = 64

  /// The attempt after which the pauses stop growing. A pause of a day, as for the last attempts of
  /// a delivery, would be too long, because all later events wait for the retried one.
  static let growingAttempts = 3

  /// The number of this lane, which is unique since the service's start.
  package let number: Int
  /// The name of the sink.
  package let sink: String
  /// The cursor: the sink has answered everything up to this event.
  package private(set) var cursor: Int64
  package private(set) var breaker: Breaker
  /// The events in flight.
  package private(set) var batch: [AnalyticsItem] = []
  /// Counters of the sink's answers since the lane was created.
  package private(set) var answers = LaneCounters()
  /// The sink's last failure to accept an event; nil if it has not failed.
  package private(set) var lastFailure: SinkFailure?
  /// The instant at which the first event is retried after a failure; nil if no retry is scheduled.
  package private(set) var retry: Instant?
  /// How often the sink has answered the first event after the cursor with a retry.
  private var attempts = 0
  /// When the latest batch was dispatched.
  private var dispatchedAt: Instant
  /// Whether there may be events after the cursor.
  private var hasMore = true
  /// The limit of the sink's rate; nil if its rate is not limited.
  private var bucket: TokenBucket?

  package init(number: Int, sink: SinkTraits, cursor: Int64, now: Instant) {
    (self.number, self.sink, self.cursor) = (number, sink.name, cursor)
    dispatchedAt = now
    breaker = Breaker(seed: sink.seed)
    bucket = sink.rate.map { TokenBucket(rate: $0, now: now) }
  }

  /// Notes that events were written.
  package mutating func offer() { hasMore = true }

  /// Stops reading events until `offer`.
  mutating func stopReading() { hasMore = false }

  // MARK: - Dispatching

  /// Returns the number of events to read after the cursor and dispatch now; 0 for none.
  package func allowance(at now: Instant) -> Int {
    guard let wake = wake(now: now), wake <= now else { return 0 }
    return min(batchMax, bucket?.available(at: now) ?? batchMax)
  }

  /// Returns the instant at which the lane needs an engine cycle. Returns nil if there is nothing
  /// to do, or if a batch is in flight, because its answer causes a cycle.
  package func wake(now: Instant) -> Instant? {
    guard batch.isEmpty, hasMore else { return nil }
    let ready = bucket?.ready(for: min(batchMax, bucket?.portion ?? batchMax), now: now)
    return [now, retry, breaker.resumption, ready].compactMap { $0 }.max()
  }

  /// The maximum number of events to dispatch now. After a failure it is one, to test whether the
  /// sink is back.
  private var batchMax: Int { breaker.isHalfOpen || attempts > 0 ? 1 : Self.window }

  /// Begins a batch of events read after the cursor.
  ///
  /// - Parameter last: the number of the last event that was read, even if another lane sends it;
  ///   nil if none was read. If `events` is empty, the cursor moves to this event.
  package mutating func dispatch(
    _ events: [AnalyticsItem], readThrough last: Int64? = nil, now: Instant
  ) {
    hasMore = !events.isEmpty || last != nil
    if let last, events.isEmpty { cursor = last }
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

  /// Restarts the breaker's pause and makes a retry due at once, because both were computed from
  /// the clock's earlier time.
  package mutating func clockWasSetBack(to now: Instant) {
    breaker.clockWasSetBack(to: now)
    if retry != nil { retry = now }
  }
}
