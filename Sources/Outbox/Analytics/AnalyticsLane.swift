package import CivilTime
package import Reminders

/// Analytics events on their way to the sink of their route (rule M1), decided: in the order in
/// which they were written, each at least once.
///
/// Nothing waits in memory: what comes after the lane's place is read from the store when its turn
/// has come. So a sink that is away costs nothing, and of who was erased meanwhile nothing is sent
/// (rule H4).
package struct AnalyticsLane: Sendable {
  /// How many events are with the sink at once: what a crash in between repeats.
  package static let window = 64

  /// After which attempt the waits grow no more. What comes behind an event has to wait with it, so
  /// that a day, which a delivery may wait for its last attempts, is too long.
  static let growingAttempts = 3

  /// Which of all lanes since the start it is.
  package let number: Int
  package let sink: String
  /// Up to which event the sink has answered for all of them.
  package private(set) var place: Int64
  package private(set) var breaker: Breaker
  /// The events that are with the sink.
  package private(set) var batch: [AnalyticsItem] = []
  /// What the sink has said so far.
  package private(set) var answers = LaneCounters()
  /// What it said last to something that it did not take.
  package private(set) var lastFailure: SinkFailure?
  /// When the first event is tried again that the sink did not want before.
  package private(set) var retry: Instant?
  private var attempts = 0
  private var handedAt: Instant
  /// Whether there may be events behind the place.
  private var hasMore = true
  private var bucket: TokenBucket?

  package init(number: Int, sink: SinkTraits, place: Int64, now: Instant) {
    (self.number, self.sink, self.place) = (number, sink.name, place)
    handedAt = now
    breaker = Breaker(seed: sink.seed)
    bucket = sink.rate.map { TokenBucket(rate: $0, now: now) }
  }

  /// There are new events.
  package mutating func offer() { hasMore = true }

  /// What there is waits until `offer`.
  mutating func rest() { hasMore = false }

  // MARK: - Handing over

  /// How many events to read behind the place, to be handed over now; 0 for none.
  package func allowance(at now: Instant) -> Int {
    guard let wake = wake(now: now), wake <= now else { return 0 }
    return min(wanted, bucket?.available(at: now) ?? wanted)
  }

  /// When the lane needs a turn; nil while it is with its sink, for the answer brings one, and
  /// while there is nothing to do.
  package func wake(now: Instant) -> Instant? {
    guard batch.isEmpty, hasMore else { return nil }
    let ready = bucket?.ready(for: min(wanted, bucket?.portion ?? wanted), now: now)
    return [now, retry, breaker.resumption, ready].compactMap { $0 }.max()
  }

  /// After a failure a single event finds out whether the sink is back.
  private var wanted: Int { breaker.isHalfOpen || attempts > 0 ? 1 : Self.window }

  /// Takes what was read behind the place: the sink has it from now on.
  package mutating func hand(_ events: [AnalyticsItem], now: Instant) {
    hasMore = !events.isEmpty
    batch = events
    handedAt = now
    retry = nil
    breaker.resume()
    bucket?.take(events.count, now: now)
  }

  // MARK: - Answers

  /// What is to be written of what the sink has said to its batch.
  package func settlement(
    of result: Result<[SinkAnswer], SinkOutage>, now: Instant
  ) -> AnalyticsSettlement {
    var settlement = AnalyticsSettlement(lane: number, sink: sink, place: place)
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

  /// The batch is settled, and that is on disk.
  package mutating func conclude(_ settlement: AnalyticsSettlement, now: Instant) {
    if let outage = settlement.outage {
      breaker.fail(outage, now: now)
      answers.outages += 1
    } else {
      breaker.recover()
      answers.add(LaneCounters(settlement.answers, after: now - handedAt))
      attempts = settlement.retry == nil ? 0 : settlement.place > place ? 1 : attempts + 1
    }
    if let reason = settlement.failure { lastFailure = SinkFailure(at: now, reason: reason) }
    retry = settlement.retry?.due
    place = settlement.place
    batch = []
  }

  /// The clock was set back: pauses begin anew, for they were measured by another clock.
  package mutating func clockWasSetBack(to now: Instant) {
    breaker.clockWasSetBack(to: now)
    if retry != nil { retry = now }
  }
}

/// What follows from what a sink has said to analytics events.
package struct AnalyticsSettlement: Sendable {
  package let lane: Int
  package let sink: String
  /// Up to which event the sink has answered for all of them now.
  package private(set) var place: Int64
  /// Why it takes nothing, if it does not.
  package fileprivate(set) var outage: SinkOutage?
  /// When the first event is tried again that it did not want, and what it said.
  package private(set) var retry: (due: Instant, reason: String)?
  /// How many it will never want, and what it said of the last.
  package private(set) var rejections: (count: Int, reason: String)?
  package fileprivate(set) var hasRecovered = false
  private(set) var answers: [SinkAnswer] = []

  fileprivate init(lane: Int, sink: String, place: Int64) {
    (self.lane, self.sink, self.place) = (lane, sink, place)
  }

  fileprivate var failure: String? {
    outage?.description ?? retry?.reason ?? rejections?.reason
  }

  /// What is rejected is passed over; behind what is to be tried again nothing counts.
  fileprivate mutating func follow(
    _ answers: [SinkAnswer], to batch: [AnalyticsItem], attemptsBefore: Int, now: Instant
  ) {
    for (event, answer) in zip(batch, answers) {
      self.answers.append(answer)
      switch answer.verdict {
      case .delivered: break
      case .rejected(let reason): rejections = ((rejections?.count ?? 0) + 1, reason)
      case .retry(let wished, let reason):
        let failed = event.number == batch.first?.number ? attemptsBefore + 1 : 1
        let due = RetrySchedule.next(
          after: min(failed, AnalyticsLane.growingAttempts), wished: wished,
          notification: event.number, now: now)
        retry = (due ?? now, reason)
        return
      }
      place = event.number
    }
  }

  /// What there is to tell.
  package var notes: [DeliveryNote] {
    var notes: [DeliveryNote] = []
    if hasRecovered { notes.append(.recovered(sink: sink)) }
    if let rejections {
      notes.append(
        .analyticsRejected(count: rejections.count, sink: sink, reason: rejections.reason))
    }
    if let retry {
      notes.append(.analyticsRetried(sink: sink, until: retry.due, reason: retry.reason))
    }
    return notes
  }
}
