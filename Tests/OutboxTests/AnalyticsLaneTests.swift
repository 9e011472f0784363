import CivilTime
import Outbox
import Reminders
import Store
import Testing

/// Rule M1: the lane that carries analytics events to a sink.
@Suite struct AnalyticsLaneTests {
  private static let noon = Instant(milliseconds: 1_772_452_800_000)
  private static let busy = SinkAnswer.retry(after: nil, reason: "busy")
  private static let refused = SinkAnswer.rejected(reason: "no")

  private func lane(rate: Int? = nil, cursor: Int64 = 10) -> AnalyticsLane {
    let sink = SinkTraits(name: "hook", rate: rate)
    return AnalyticsLane(number: 3, sink: sink, cursor: cursor, now: Self.noon)
  }

  private func events(_ numbers: ClosedRange<Int64>) -> [AnalyticsItem] {
    numbers.map { number in
      let event = AnalyticsEvent(time: Self.noon, name: "dnd_enabled", parameters: Array("{}".utf8))
      let record = AnalyticsRecord(number: number, recipient: "amina", event: event)
      return AnalyticsItem(instance: "store", record)
    }
  }

  /// Dispatches a batch and passes the sink's answers to the lane.
  private func answer(
    _ lane: inout AnalyticsLane, _ numbers: ClosedRange<Int64>, _ answers: SinkAnswer...,
    at now: Instant = noon
  ) -> AnalyticsSettlement {
    lane.dispatch(events(numbers), now: now)
    #expect(lane.wake(now: now) == nil && lane.allowance(at: now) == 0, "one batch at a time")
    let settlement = lane.settlement(of: .success(answers), now: now)
    lane.conclude(settlement, now: now)
    return settlement
  }

  @Test func `M1: events after the cursor are sent once, and the lane then waits`() {
    var lane = lane()
    #expect(lane.allowance(at: Self.noon) == AnalyticsLane.window)
    #expect(answer(&lane, 11...12, .delivered, .delivered).cursor == 12)
    #expect(lane.cursor == 12 && lane.answers.delivered == 2)
    lane.dispatch([], now: Self.noon)
    #expect(lane.wake(now: Self.noon) == nil)
    lane.offer()
    #expect(lane.wake(now: Self.noon) == Self.noon)
  }

  /// A sink that answers two events of a batch, and then has no time left.
  private struct OneByOneSink: AnalyticsSink {
    let name = "hook"

    func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] { [] }

    func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
      var checks = 0
      let isTimeUp = {
        checks += 1
        return checks == 2
      }
      return try await deliverInOrder(events, until: isTimeUp) { _ in .delivered }
    }
  }

  @Test func `D1: a batch cut short records its answers and sends the rest again`() async throws {
    var lane = lane()
    let answers = try await OneByOneSink().deliver(events(11...15))
    #expect(answers.count == 2)
    lane.dispatch(events(11...15), now: Self.noon)
    let settlement = lane.settlement(of: .success(answers), now: Self.noon)
    #expect(settlement.cursor == 12)
    lane.conclude(settlement, now: Self.noon)
    #expect(lane.wake(now: Self.noon) == Self.noon)
  }

  @Test func `M1: a rejected event is skipped`() {
    var lane = lane()
    let settlement = answer(&lane, 11...13, Self.refused, .delivered, Self.refused)
    #expect(settlement.cursor == 13 && settlement.rejections?.count == 2)
    #expect(lane.lastFailure?.reason == "no")
    #expect(lane.allowance(at: Self.noon) == AnalyticsLane.window)
  }

  /// Events stay in order, so answers after a retried event are ignored.
  @Test func `M1: a retried event delays the events behind it`() throws {
    var lane = lane()
    let settlement = answer(&lane, 11...13, .delivered, Self.busy, .delivered)
    #expect(settlement.cursor == 11 && lane.cursor == 11)
    let due = try #require(lane.retry)
    #expect((5...6).contains((due - Self.noon).milliseconds / 1_000))
    #expect(lane.allowance(at: Self.noon) == 0 && lane.wake(now: Self.noon) == due)
    #expect(lane.allowance(at: due) == 1, "the retried event is sent alone")
    _ = answer(&lane, 12...12, .delivered, at: due)
    #expect(lane.allowance(at: due) == AnalyticsLane.window)
  }

  @Test func `D2: the retry waits grow as for deliveries, up to half an hour`() {
    var lane = lane()
    var now = Self.noon
    let waits = (0..<6).map { _ in
      let settlement = answer(&lane, 11...11, Self.busy, at: now)
      let wait = (settlement.retry?.due ?? now) - now
      now += wait
      return wait.milliseconds / 60_000
    }
    #expect(waits[0] == 0 && waits[1] == 5 && waits[2...].allSatisfy { (30...33).contains($0) })
  }

  @Test func `D2: a Retry-After longer than the scheduled wait is respected`() {
    var lane = lane()
    let longRetry = SinkAnswer.retry(after: .hours(2), reason: "429")
    let settlement = answer(&lane, 11...11, longRetry)
    #expect(settlement.retry.map { $0.due >= Self.noon + .hours(2) } == true)
  }

  @Test func `D3: an outage keeps every event, and a single event probes the sink`() throws {
    var lane = lane()
    lane.dispatch(events(11...20), now: Self.noon)
    let outage = lane.settlement(of: .failure(SinkOutage("away")), now: Self.noon)
    #expect(outage.cursor == 10)
    lane.conclude(outage, now: Self.noon)
    #expect(lane.breaker.failure == "away" && lane.answers.outages == 1)
    let probeTime = try #require(lane.wake(now: Self.noon))
    #expect(probeTime > Self.noon && lane.allowance(at: probeTime) == 1)
    let settlement = answer(&lane, 11...11, .delivered, at: probeTime)
    #expect(settlement.hasRecovered && lane.breaker.failure == nil)
    #expect(lane.allowance(at: probeTime) == AnalyticsLane.window)
  }

  @Test(arguments: [0, 3]) func `a batch with too few or too many answers counts as an outage`(
    count: Int
  ) {
    var lane = lane()
    lane.dispatch(events(11...12), now: Self.noon)
    let answers = Array(repeating: SinkAnswer.delivered, count: count)
    let settlement = lane.settlement(of: .success(answers), now: Self.noon)
    #expect(settlement.cursor == 10 && settlement.outage != nil)
  }

  @Test func `M1: events without an answer are sent again`() {
    var lane = lane()
    #expect(answer(&lane, 11...15, .delivered, .delivered).cursor == 12)
    #expect(lane.retry == nil && lane.allowance(at: Self.noon) == AnalyticsLane.window)
  }

  @Test func `D3: the rate limit applies to analytics events`() throws {
    var lane = lane(rate: 10)
    #expect(lane.allowance(at: Self.noon) == 10)
    lane.dispatch(events(11...20), now: Self.noon)
    let answers = events(11...20).map { _ in SinkAnswer.delivered }
    lane.conclude(lane.settlement(of: .success(answers), now: Self.noon), now: Self.noon)
    #expect(lane.allowance(at: Self.noon) == 0)
    let wake = try #require(lane.wake(now: Self.noon))
    #expect(wake == Self.noon + .milliseconds(100) && lane.allowance(at: wake) == 1)
  }

  @Test func `T6: setting the clock back ends the wait for a retry`() {
    var lane = lane()
    _ = answer(&lane, 11...11, .retry(after: .days(1), reason: "429"))
    let earlier = Self.noon - .days(30)
    lane.clockWasSetBack(to: earlier)
    #expect(lane.allowance(at: earlier) == 1)
  }
}
