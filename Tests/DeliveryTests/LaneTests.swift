import CivilTime
import Delivery
import Reminders
import Testing

/// A lane, step by step.
@Suite struct LaneTests {
  private let noon = Fixtures.noon

  private func lane(place: Int64 = 0, last: Int64 = 0, capacity: Int = 4, batch: Int = 2) -> Lane {
    Lane(sink: "test", place: place, last: last, capacity: capacity, batch: batch)
  }

  private func offer(_ notifications: ClosedRange<Int64>, to lane: inout Lane) {
    lane.offer(Fixtures.deliveries(notifications), through: notifications.upperBound)
  }

  /// What the lane wants done now.
  private func next(_ lane: inout Lane, at now: Instant? = nil) -> String {
    switch lane.next(now: now ?? noon) {
    case .none: return "none"
    case .read(let place): return "read after \(place)"
    case .hand(let deliveries, let isStale):
      let numbers = deliveries.map { "\($0.notification)" }.joined(separator: " ")
      return "hand \(numbers)" + (isStale ? " stale" : "")
    }
  }

  @Test func anEmptyLaneHasNothingToDo() {
    var lane = lane(place: 7, last: 7)
    #expect(next(&lane) == "none")
    #expect(lane.waiting == 0)
  }

  @Test func whatIsOfferedIsHandedOnInOrderABatchAtATime() {
    var lane = lane()
    offer(1...3, to: &lane)
    #expect(lane.waiting == 3)
    #expect(next(&lane) == "hand 1 2")
    #expect(next(&lane) == "none")
    offer(4...4, to: &lane)
    #expect(next(&lane) == "none")
    #expect(lane.place(withoutFirst: 2) == 2)
    lane.answered(count: 2)
    #expect(lane.place == 2)
    #expect(next(&lane) == "hand 3 4")
    lane.answered(count: 2)
    #expect(lane.place == 4)
    #expect(next(&lane) == "none")
  }

  @Test func whatIsDroppedNeedsNoAnswer() {
    var lane = lane()
    lane.offer([], through: 3)
    #expect(lane.place == 3)
    #expect(lane.waiting == 0)
    lane.offer(Fixtures.deliveries(5...5), through: 6)
    #expect(next(&lane) == "hand 5")
    #expect(lane.place(withoutFirst: 1) == 6)
    lane.answered(count: 1)
    #expect(lane.place == 6)
  }

  @Test func theChannelsOfANotificationStayTogether() {
    var lane = lane()
    lane.offer(
      [1, 2, 3].flatMap { number in [Channel.push].map { Fixtures.delivery(number, $0) } }
        + [.email, .sms].map { Fixtures.delivery(3, $0) }, through: 3)
    #expect(next(&lane) == "read after 0")
    var other = self.lane(capacity: 9)
    other.offer(
      [Fixtures.delivery(1), Fixtures.delivery(2), Fixtures.delivery(2, .email)], through: 2)
    #expect(next(&other) == "hand 1 2 2")
  }

  @Test func beyondItsCapacityALaneReadsFromTheStore() {
    var lane = lane()
    offer(1...3, to: &lane)
    offer(4...5, to: &lane)
    offer(6...6, to: &lane)
    #expect(next(&lane) == "hand 1 2")
    lane.answered(count: 2)
    #expect(next(&lane) == "hand 3")
    lane.answered(count: 1)
    #expect(lane.place == 3)
    #expect(lane.waiting == 3)
    #expect(next(&lane) == "read after 3")
    lane.supply(Fixtures.deliveries(4...5), through: 5)
    // What comes now follows what is still in the store.
    offer(7...7, to: &lane)
    #expect(next(&lane) == "hand 4 5")
    lane.answered(count: 2)
    #expect(next(&lane) == "read after 5")
    lane.supply(Fixtures.deliveries(6...7), through: 7)
    #expect(next(&lane) == "hand 6 7")
    lane.answered(count: 2)
    offer(8...8, to: &lane)
    #expect(next(&lane) == "hand 8")
  }

  @Test func nothingMoreInTheStoreIsTheEnd() {
    var lane = lane(place: 2, last: 9)
    #expect(next(&lane) == "read after 2")
    lane.supply([], through: nil)
    #expect(next(&lane) == "none")
    #expect(lane.place == 9)
    #expect(lane.waiting == 0)
  }

  @Test func droppedOnesInTheStoreArePassedOver() {
    var lane = lane(place: 2, last: 9)
    #expect(next(&lane) == "read after 2")
    lane.supply([], through: 6)
    #expect(lane.place == 6)
    #expect(next(&lane) == "read after 6")
    lane.supply(Fixtures.deliveries(8...8), through: 9)
    #expect(lane.place == 6)
    #expect(next(&lane) == "hand 8")
    lane.answered(count: 1)
    #expect(lane.place == 9)
  }

  @Test func v7WhatHasWaitedIsStale() {
    var lane = lane()
    offer(1...1, to: &lane)
    #expect(next(&lane, at: noon + .minutes(1)) == "hand 1")
    var other = self.lane()
    offer(1...1, to: &other)
    #expect(next(&other, at: noon + .milliseconds(60_001)) == "hand 1 stale")
  }

  @Test func anOutageKeepsTheBatchAtTheHead() {
    var lane = lane()
    offer(1...3, to: &lane)
    #expect(next(&lane) == "hand 1 2")
    lane.failed(SinkOutage("gone"), now: noon)
    #expect(lane.place == 0)
    #expect(lane.failure == "gone")
    #expect(lane.resumption == noon + .seconds(1))
    #expect(next(&lane, at: noon + .milliseconds(999)) == "none")
    #expect(next(&lane, at: noon + .seconds(1)) == "hand 1 2 stale")
    #expect(lane.resumption == nil)
    lane.failed(SinkOutage("still gone"), now: noon + .seconds(1))
    #expect(lane.resumption == noon + .seconds(3))
    #expect(next(&lane, at: noon + .seconds(3)) == "hand 1 2 stale")
    lane.answered(count: 2)
    #expect(lane.failure == nil && lane.outages == 0)
    #expect(next(&lane) == "hand 3 stale")
    lane.answered(count: 1)
    offer(4...4, to: &lane)
    #expect(next(&lane) == "hand 4")
  }

  @Test func t6AnOutageIsNotLongerWhenTheClockIsSetBack() {
    var lane = lane()
    offer(1...1, to: &lane)
    _ = next(&lane)
    lane.failed(SinkOutage("gone"), now: noon)
    lane.clockWasSetBack(to: noon - .days(365))
    #expect(lane.resumption == noon - .days(365) + .seconds(1))
    #expect(next(&lane, at: noon - .days(364)) == "hand 1 stale")
    lane.clockWasSetBack(to: noon - .days(366))
    #expect(lane.resumption == nil)
  }

  @Test func v7WhatTheGatesKeepIsNotAsked() {
    var lane = lane(capacity: 9, batch: 4)
    offer(1...5, to: &lane)
    #expect(next(&lane) == "hand 1 2 3 4")
    #expect(lane.place(withoutFirst: 4, but: Fixtures.deliveries(2...3)) == 1)
    lane.keep(Fixtures.deliveries(2...3), of: 4)
    #expect(lane.place == 1)
    #expect(next(&lane) == "none")
    lane.failed(SinkOutage("gone"), now: noon)
    #expect(next(&lane, at: noon + .seconds(1)) == "hand 2 3 5 stale")
    lane.keep([], of: 3)
    #expect(lane.place == 5)
    #expect(next(&lane) == "none")
    offer(6...6, to: &lane)
    #expect(next(&lane) == "hand 6")
  }

  @Test func retriesHoldTheQueueBack() {
    var lane = lane()
    lane.beginRetries()
    offer(1...1, to: &lane)
    #expect(next(&lane) == "none")
    lane.endRetries()
    #expect(next(&lane) == "hand 1")
  }

  @Test func retriesThatMeetAnOutageLeaveTheQueueAsItWas() {
    var lane = lane()
    lane.beginRetries()
    offer(1...1, to: &lane)
    lane.failed(SinkOutage("gone"), now: noon)
    #expect(next(&lane) == "none")
    #expect(next(&lane, at: noon + .seconds(1)) == "hand 1 stale")
    lane.answered(count: 1)
    #expect(lane.place == 1)
  }
}
