import Testing
import TimerWheel

@Suite struct BackwardTimeTests {
  @Test func `a deadline now or in the past is due at the next advance`() {
    var wheel = TimerWheel(now: 1000)
    _ = wheel.insert(deadline: 1000, payload: 1)
    _ = wheel.insert(deadline: -1000, payload: 2)
    let earliest = wheel.earliest()
    let expiries = wheel.expiries(to: 1000)
    #expect(earliest == -1000)
    #expect(expiries.map(\.payload) == [2, 1])
  }

  @Test func `a clock that is set back expires nothing early`() {
    var wheel = TimerWheel(now: 0)
    _ = wheel.insert(deadline: 20_000, payload: 1)
    let ahead = wheel.expiries(to: 10_000)
    let back = wheel.expiries(to: 2_000)
    _ = wheel.insert(deadline: 3_000, payload: 2)
    _ = wheel.insert(deadline: 2_500, payload: 3)
    let early = wheel.expiries(to: 2_499)
    let earliest = wheel.earliest()
    let due = wheel.expiries(to: 3_000)
    let later = wheel.expiries(to: 20_000)
    #expect(ahead == [] && back == [] && early == [])
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
    let expiries = wheel.expiries(to: 1000)
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
    let half = wheel.expiries(to: now + 499)
    let rest = wheel.expiries(to: now + 999)
    #expect(violations == [])
    #expect(half.map(\.deadline) == (0..<500).map { now + $0 })
    #expect(rest.map(\.deadline) == (500..<1000).map { now + $0 })
  }
}
