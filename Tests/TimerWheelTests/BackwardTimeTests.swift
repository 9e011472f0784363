import Testing
import TimerWheel

@Suite struct BackwardTimeTests {
  @Test func `a deadline now or in the past is due at the next advance`() {
    var wheel = TimerWheel(now: 1000)
    _ = wheel.insert(deadline: 1000, payload: 1)
    _ = wheel.insert(deadline: -1000, payload: 2)
    let earliest = wheel.earliest()
    let expiries = wheel.expire(to: 1000)
    #expect(earliest == -1000)
    #expect(expiries.map(\.payload) == [2, 1])
  }

  @Test func `no timer expires early after the clock is set back`() {
    var wheel = TimerWheel(now: 0)
    _ = wheel.insert(deadline: 20_000, payload: 1)
    let first = wheel.expire(to: 10_000)
    let afterReset = wheel.expire(to: 2_000)
    _ = wheel.insert(deadline: 3_000, payload: 2)
    _ = wheel.insert(deadline: 2_500, payload: 3)
    let early = wheel.expire(to: 2_499)
    let earliest = wheel.earliest()
    let due = wheel.expire(to: 3_000)
    let later = wheel.expire(to: 20_000)
    #expect(first == [] && afterReset == [] && early == [])
    #expect(earliest == 2_500)
    #expect(due.map(\.payload) == [3, 2])
    #expect(later == [Expiry(deadline: 20_000, payload: 1)])
  }

  @Test func `an overdue timer can be cancelled`() {
    var wheel = TimerWheel(now: 1000)
    let first = wheel.insert(deadline: 10, payload: 1)
    _ = wheel.insert(deadline: 20, payload: 2)
    let cancelled = wheel.cancel(first)
    let earliest = wheel.earliest()
    let expiries = wheel.expire(to: 1000)
    #expect(cancelled)
    #expect(earliest == 20)
    #expect(expiries == [Expiry(deadline: 20, payload: 2)])
  }

  @Test func `a wheel years ahead of the clock expires timers in order`() {
    let now = Workload.someday
    var wheel = TimerWheel(now: now + 3650 * Workload.day)
    for payload in 0..<1000 as Range<UInt32> {
      _ = wheel.insert(deadline: now + Int64(payload) * 7919 % 1000, payload: payload)
    }
    let violations = wheel.checkInvariants()
    let half = wheel.expire(to: now + 499)
    let rest = wheel.expire(to: now + 999)
    #expect(violations == [])
    #expect(half.map(\.deadline) == (0..<500).map { now + $0 })
    #expect(rest.map(\.deadline) == (500..<1000).map { now + $0 })
  }
}
