import Testing
import TimerWheel

@Suite struct TimerWheelTests {
  private let year: Int64 = 365 * Workload.day

  @Test func `an empty wheel has no timers`() {
    var wheel = TimerWheel(now: Workload.someday)
    let earliest = wheel.earliest()
    let expiries = wheel.expire(to: .max)
    let count = wheel.count
    #expect(earliest == nil)
    #expect(expiries == [])
    #expect(count == 0)
  }

  @Test func `a timer expires once, and not early`() {
    var wheel = TimerWheel(now: 0)
    _ = wheel.insert(deadline: 5000, payload: 7)
    let early = wheel.expire(to: 4999)
    let due = wheel.expire(to: 5000)
    let later = wheel.expire(to: .max)
    #expect(early == [])
    #expect(due == [Expiry(deadline: 5000, payload: 7)])
    #expect(later == [])
  }

  @Test func `a wheel advances ten years at once`() {
    let now = Workload.someday
    var wheel = TimerWheel(now: now)
    _ = wheel.insert(deadline: now + 3 * year, payload: 3)
    _ = wheel.insert(deadline: now + 11 * year, payload: 11)
    let expiries = wheel.expire(to: now + 10 * year)
    let earliest = wheel.earliest()
    let violations = wheel.checkInvariants()
    #expect(expiries == [Expiry(deadline: now + 3 * year, payload: 3)])
    #expect(earliest == now + 11 * year)
    #expect(violations == [])
  }

  @Test func `100,000 timers expire at one instant`() {
    let deadline = Workload.someday + Workload.day
    var wheel = TimerWheel(now: Workload.someday)
    for payload in 0..<100_000 as Range<UInt32> {
      _ = wheel.insert(deadline: deadline, payload: payload)
    }
    let early = wheel.expire(to: deadline - 1)
    let violations = wheel.checkInvariants()
    let due = wheel.expire(to: deadline)
    #expect(early == [])
    #expect(violations == [])
    #expect(due.map(\.payload).sorted() == Array(0..<100_000))
    #expect(due.allSatisfy { $0.deadline == deadline })
  }

  @Test(arguments: [64, 4096, 1 << 18, 1 << 24, 1 << 30, 1 << 42, 1 << 48, 1 << 60] as [Int64])
  func `deadlines around the span of a level expire at their instant`(span: Int64) {
    let deadlines = [span - 1, span, span + 1, 2 * span - 1, 2 * span, 2 * span + 1]
    var wheel = TimerWheel(now: 0)
    for deadline in deadlines.reversed() { _ = wheel.insert(deadline: deadline, payload: 0) }
    for deadline in deadlines {
      let early = wheel.expire(to: deadline - 1)
      let earliest = wheel.earliest()
      let due = wheel.expire(to: deadline)
      #expect(early == [])
      #expect(earliest == deadline)
      #expect(due.map(\.deadline) == [deadline])
    }
  }

  @Test func `the earliest and latest representable instants may be deadlines`() {
    var wheel = TimerWheel(now: Workload.someday)
    _ = wheel.insert(deadline: .max, payload: 2)
    _ = wheel.insert(deadline: .min, payload: 1)
    let first = wheel.expire(to: .max - 1)
    let earliest = wheel.earliest()
    let second = wheel.expire(to: .max)
    #expect(first == [Expiry(deadline: .min, payload: 1)])
    #expect(earliest == .max)
    #expect(second == [Expiry(deadline: .max, payload: 2)])
  }
}
