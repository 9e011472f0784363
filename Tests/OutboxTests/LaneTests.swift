import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Testing

/// How a lane queues and dispatches deliveries, one call at a time.
@Suite struct LaneTests {
  private let noon = Fixtures.noon

  private func lane(
    cursor: Int64 = 0, last: Int64 = 0, capacity: Int = 4, window: Int = 2, rate: Int? = nil
  ) -> Lane {
    Lane(
      sink: "test", cursor: cursor, last: last, capacity: capacity, window: window, rate: rate,
      now: noon)
  }

  private func offer(_ notifications: ClosedRange<Int64>, to lane: inout Lane) {
    lane.offer(Fixtures.deliveries(notifications), through: notifications.upperBound)
  }

  /// Returns the lane's next action at an instant, in words.
  private func next(
    _ lane: inout Lane, at now: Instant? = nil, nextRetry: Instant? = nil
  ) -> String {
    switch lane.next(now: now ?? noon, nextRetry: nextRetry) {
    case .none: return "none"
    case .retry(let limit): return "retry \(limit)"
    case .read(let cursor): return "read after \(cursor)"
    case .dispatch(let deliveries, let isStale):
      let numbers = deliveries.map { "\($0.notification)" }.joined(separator: " ")
      return "dispatch \(numbers)" + (isStale ? " stale" : "")
    }
  }

  @Test func `an empty lane has nothing to do`() {
    var lane = lane(cursor: 7, last: 7)
    #expect(next(&lane) == "none")
    #expect(lane.waiting == 0)
  }

  @Test func `deliveries are dispatched in order, one batch at a time`() {
    var lane = lane()
    offer(1...3, to: &lane)
    #expect(lane.waiting == 3)
    #expect(next(&lane) == "dispatch 1 2")
    #expect(next(&lane) == "none")
    offer(4...4, to: &lane)
    #expect(next(&lane) == "none")
    #expect(lane.cursor(withoutFirst: 2) == 2)
    lane.removeAnswered(count: 2)
    #expect(lane.cursor == 2)
    #expect(next(&lane) == "dispatch 3 4")
    lane.removeAnswered(count: 2)
    #expect(lane.cursor == 4)
    #expect(next(&lane) == "none")
  }

  @Test func `dropped notifications need no answer`() {
    var lane = lane()
    lane.offer([], through: 3)
    #expect(lane.cursor == 3)
    #expect(lane.waiting == 0)
    lane.offer(Fixtures.deliveries(5...5), through: 6)
    #expect(next(&lane) == "dispatch 5")
    #expect(lane.cursor(withoutFirst: 1) == 6)
    lane.removeAnswered(count: 1)
    #expect(lane.cursor == 6)
  }

  @Test func `the channels of one notification stay in one batch`() {
    var lane = lane()
    lane.offer(
      [1, 2, 3].flatMap { number in [Channel.push].map { Fixtures.delivery(number, $0) } }
        + [.email, .sms].map { Fixtures.delivery(3, $0) }, through: 3)
    #expect(next(&lane) == "read after 0")
    var other = self.lane(capacity: 9)
    other.offer(
      [Fixtures.delivery(1), Fixtures.delivery(2), Fixtures.delivery(2, .email)], through: 2)
    #expect(next(&other) == "dispatch 1 2 2")
  }

  @Test func `beyond its capacity a lane reads from the store`() {
    var lane = lane()
    offer(1...3, to: &lane)
    offer(4...5, to: &lane)
    offer(6...6, to: &lane)
    #expect(next(&lane) == "dispatch 1 2")
    lane.removeAnswered(count: 2)
    #expect(next(&lane) == "dispatch 3")
    lane.removeAnswered(count: 1)
    #expect(lane.cursor == 3)
    #expect(lane.waiting == 3)
    #expect(next(&lane) == "read after 3")
    lane.supply(Fixtures.deliveries(4...5), through: 5)
    // New deliveries are behind those that are still in the store.
    offer(7...7, to: &lane)
    #expect(next(&lane) == "dispatch 4 5")
    lane.removeAnswered(count: 2)
    #expect(next(&lane) == "read after 5")
    lane.supply(Fixtures.deliveries(6...7), through: 7)
    #expect(next(&lane) == "dispatch 6 7")
    lane.removeAnswered(count: 2)
    offer(8...8, to: &lane)
    #expect(next(&lane) == "dispatch 8")
  }

  @Test func `a read without rows ends the backlog`() {
    var lane = lane(cursor: 2, last: 9)
    #expect(next(&lane) == "read after 2")
    lane.supply([], through: nil)
    #expect(next(&lane) == "none")
    #expect(lane.cursor == 9)
    #expect(lane.waiting == 0)
  }

  @Test func `numbers that were never used do not count as waiting`() {
    let last: Int64 = 1_000_000_009
    var lane = Lane(sink: "test", cursor: 2, last: last, unread: 4, capacity: 4, window: 2)
    #expect(lane.waiting == 4 && !lane.isIdle)
    lane.supply(Fixtures.deliveries(3...5), through: 5)
    #expect(lane.waiting == 4)
    offer(last + 1...last + 2, to: &lane)
    #expect(lane.waiting == 6)
    #expect(lane.renewed(for: SinkTraits(name: "test"), now: noon).waiting == 6)
    // The fourth unread notification had no delivery for this lane.
    lane.supply(Fixtures.deliveries(last + 1...last + 1), through: last + 1)
    #expect(lane.waiting == 5)
    lane.supply(Fixtures.deliveries(last + 2...last + 2), through: last + 2)
    #expect(lane.waiting == 5 && !lane.isIdle)
  }

  @Test func `dropped notifications in the store are skipped`() {
    var lane = lane(cursor: 2, last: 9)
    #expect(next(&lane) == "read after 2")
    lane.supply([], through: 6)
    #expect(lane.cursor == 6)
    #expect(next(&lane) == "read after 6")
    lane.supply(Fixtures.deliveries(8...8), through: 9)
    #expect(lane.cursor == 6)
    #expect(next(&lane) == "dispatch 8")
    lane.removeAnswered(count: 1)
    #expect(lane.cursor == 9)
  }

  @Test func `V7: a delivery that waited for more than a minute is stale`() {
    var lane = lane()
    offer(1...1, to: &lane)
    #expect(next(&lane, at: noon + .minutes(1)) == "dispatch 1")
    var other = self.lane()
    offer(1...1, to: &other)
    #expect(next(&other, at: noon + .milliseconds(60_001)) == "dispatch 1 stale")
  }

  @Test func `D3: after an outage a single delivery probes the sink`() throws {
    var lane = lane()
    offer(1...3, to: &lane)
    #expect(next(&lane) == "dispatch 1 2")
    lane.recordOutage(SinkOutage("gone"), now: noon)
    #expect(lane.cursor == 0)
    #expect(lane.failure == "gone")
    let first = try #require(lane.resumption)
    #expect(first > noon && first <= noon + .seconds(1))
    #expect(next(&lane, at: first - .milliseconds(1)) == "none")
    #expect(next(&lane, at: first) == "dispatch 1 stale")
    #expect(lane.resumption == nil)
    lane.recordOutage(SinkOutage("still gone"), now: first)
    #expect(lane.outages == 2)
    #expect(next(&lane, at: first + .seconds(2)) == "dispatch 1 stale")
    lane.removeAnswered(count: 1)
    #expect(lane.failure == nil && lane.outages == 0)
    #expect(next(&lane) == "dispatch 2 3 stale")
    lane.removeAnswered(count: 2)
    offer(4...4, to: &lane)
    #expect(next(&lane) == "dispatch 4")
  }

  /// The last attempt that is in time is 5 s after the decision.
  @Test func `D2: a pause is shortened for a delivery that would expire during it`() throws {
    var lane = lane(capacity: 9)
    offer(1...1, to: &lane)
    var now = noon
    for _ in 0..<9 {
      _ = next(&lane, at: now)
      lane.recordOutage(SinkOutage("gone"), now: now)
      now = try #require(lane.resumption)
    }
    _ = next(&lane, at: now)
    var controlLane = lane
    controlLane.recordOutage(SinkOutage("gone"), now: now)
    let pause = try #require(controlLane.resumption) - now
    try #require(pause > .seconds(4))
    let expiry = now + TimeSpan(milliseconds: pause.milliseconds / 2)
    lane.offer([Fixtures.delivery(2, at: now - .seconds(4), expiry: expiry)], through: 2)
    lane.recordOutage(SinkOutage("gone"), now: now)
    #expect(lane.resumption == now + .seconds(1))
    _ = next(&lane, at: now + .seconds(1))
    lane.recordOutage(SinkOutage("gone"), now: now + .seconds(1))
    #expect(try #require(lane.resumption) > now + .seconds(2), "only one pause is shortened")
  }

  @Test func `D2: many urgent deliveries cause at most one attempt a second`() throws {
    var lane = lane(capacity: 1_000)
    offer(1...1, to: &lane)
    var now = noon
    for _ in 0..<9 {
      _ = next(&lane, at: now)
      lane.recordOutage(SinkOutage("gone"), now: now)
      now = try #require(lane.resumption)
    }
    for number in Int64(2)...500 {
      let decided = now + .milliseconds(Int(number) * 10)
      lane.offer(
        [Fixtures.delivery(number, at: decided, expiry: decided + .seconds(30))], through: number)
    }
    var attempts = 0
    let end = now + .seconds(20)
    while now < end {
      _ = next(&lane, at: now)
      lane.recordOutage(SinkOutage("gone"), now: now)
      attempts += 1
      now = try #require(lane.resumption)
    }
    #expect(attempts <= 21)
  }

  @Test func `D2: a pause is shortened for a delivery that is decided during it`() throws {
    var lane = lane(capacity: 9)
    offer(1...1, to: &lane)
    var now = noon
    var pause = TimeSpan.zero
    while pause < .seconds(20) {
      _ = next(&lane, at: now)
      lane.recordOutage(SinkOutage("gone"), now: now)
      let end = try #require(lane.resumption)
      (pause, now) = (end - now, end)
    }
    let start = now - pause
    let decided = start + .seconds(2)
    lane.offer([Fixtures.delivery(2, at: decided, expiry: decided + .seconds(10))], through: 2)
    #expect(lane.resumption == decided + .seconds(5))
  }

  @Test func `D3: an answer to part of a batch does not end an outage`() throws {
    var lane = lane(capacity: 9)
    offer(1...3, to: &lane)
    _ = next(&lane)
    lane.recordOutage(SinkOutage("gone"), now: noon)
    let due = try #require(lane.resumption)
    _ = next(&lane, at: due)
    lane.removeAnswered(count: 1, isFree: false)
    #expect(lane.outages == 1)
  }

  @Test func `D3: a retry may be the probe`() {
    var lane = lane()
    lane.recordOutage(SinkOutage("gone"), now: noon)
    let due = noon + .seconds(2)
    #expect(next(&lane, at: due, nextRetry: noon) == "retry 1")
    lane.dispatchRetries(1, now: due)
    lane.recordOutage(SinkOutage("gone"), now: due)
    #expect(lane.outages == 2)
    #expect(lane.wake(now: due, nextRetry: noon) == lane.resumption)
  }

  @Test func `queue and retries take turns`() {
    var lane = lane(capacity: 9)
    offer(1...5, to: &lane)
    #expect(next(&lane, nextRetry: noon) == "retry 2")
    lane.dispatchRetries(2, now: noon)
    #expect(next(&lane, nextRetry: noon) == "none")
    lane.recordAnsweredRetries()
    #expect(next(&lane, nextRetry: noon) == "dispatch 1 2")
    lane.removeAnswered(count: 2)
    #expect(next(&lane, nextRetry: noon) == "retry 2")
    lane.dispatchRetries(0, now: noon)
    #expect(next(&lane, nextRetry: noon + .seconds(1)) == "dispatch 3 4")
  }

  @Test func `D3: a rate limit is applied in portions of 100 ms`() {
    var lane = lane(capacity: 99, window: 50, rate: 20)
    offer(1...50, to: &lane)
    #expect(next(&lane).split(separator: " ").count == 21)
    lane.removeAnswered(count: 20)
    #expect(next(&lane) == "none")
    #expect(lane.wake(now: noon, nextRetry: nil) == noon + .milliseconds(100))
    #expect(next(&lane, at: noon + .milliseconds(99)) == "none")
    #expect(next(&lane, at: noon + .milliseconds(100)) == "dispatch 21 22")
    lane.removeAnswered(count: 2)
    #expect(next(&lane, at: noon + .hours(1)).split(separator: " ").count == 22)
  }

  @Test func `a lane accepts only the channels of its sink`() {
    let lane = Lane(sink: "mail", channels: ChannelSet(.email), cursor: 0, last: 0)
    let both = [Fixtures.delivery(1), Fixtures.delivery(1, .email), Fixtures.delivery(2, .sms)]
    #expect(lane.deliveriesOfLane(among: both).map(\.channel) == [.email])
    #expect(self.lane().deliveriesOfLane(among: both).count == 3)
  }

  @Test func `T6: setting the clock back does not lengthen an outage`() throws {
    var lane = lane()
    offer(1...1, to: &lane)
    _ = next(&lane)
    lane.recordOutage(SinkOutage("gone"), now: noon)
    let earlier = noon - .days(365)
    lane.clockWasSetBack(to: earlier)
    #expect(try #require(lane.resumption) <= earlier + .seconds(1))
    #expect(next(&lane, at: noon - .days(364)) == "dispatch 1 stale")
    lane.clockWasSetBack(to: noon - .days(366))
    #expect(lane.resumption == nil)
  }

  @Test func `V7: deliveries that the gates stop need no answer`() {
    var lane = lane(capacity: 9, window: 4)
    offer(1...5, to: &lane)
    #expect(next(&lane) == "dispatch 1 2 3 4")
    #expect(lane.cursor(withoutFirst: 4, keeping: Fixtures.deliveries(2...3)) == 1)
    lane.retain(Fixtures.deliveries(2...3), of: 4)
    #expect(lane.cursor == 1)
    #expect(next(&lane) == "none")
    lane.recordOutage(SinkOutage("gone"), now: noon)
    #expect(next(&lane, at: noon + .seconds(1)) == "dispatch 2 stale")
    lane.retain([], of: 1)
    #expect(lane.cursor == 2)
    #expect(next(&lane, at: noon + .seconds(1)) == "dispatch 3 stale")
    lane.removeAnswered(count: 1)
    #expect(next(&lane, at: noon + .seconds(1)) == "dispatch 5 stale")
    lane.retain([], of: 1)
    #expect(lane.cursor == 5)
    #expect(next(&lane) == "none")
    offer(6...6, to: &lane)
    #expect(next(&lane) == "dispatch 6")
  }
}
