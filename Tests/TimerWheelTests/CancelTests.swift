import Testing
import TimerWheel

@Suite struct CancelTests {
  @Test func `a cancelled timer does not expire`() {
    var wheel = TimerWheel(now: 0)
    let handle = wheel.insert(deadline: 100, payload: 1)
    let first = wheel.cancel(handle)
    let second = wheel.cancel(handle)
    let count = wheel.count
    let expiries = wheel.expire(to: 1000)
    #expect(first)
    #expect(!second)
    #expect(count == 0)
    #expect(expiries == [])
  }

  @Test func `an expired timer cannot be cancelled`() {
    var wheel = TimerWheel(now: 0)
    let handle = wheel.insert(deadline: 100, payload: 1)
    let expiries = wheel.expire(to: 100)
    let cancelled = wheel.cancel(handle)
    #expect(expiries.count == 1)
    #expect(!cancelled)
  }

  @Test func `a stale handle does not cancel the next timer of its index`() {
    var wheel = TimerWheel(now: 0)
    let staleHandle = wheel.insert(deadline: 100, payload: 1)
    let isCancelled = wheel.cancel(staleHandle)
    let earliest = wheel.earliest()
    let newHandle = wheel.insert(deadline: 200, payload: 2)
    let isCancelledAgain = wheel.cancel(staleHandle)
    let expiries = wheel.expire(to: 1000)
    #expect(isCancelled)
    #expect(earliest == nil)
    #expect(staleHandle.index == newHandle.index && staleHandle != newHandle)
    #expect(!isCancelledAgain)
    #expect(expiries == [Expiry(deadline: 200, payload: 2)])
  }

  @Test func `an index cancels only the timer with its payload`() {
    var wheel = TimerWheel(now: 0)
    let index = wheel.insert(deadline: 100, payload: 1).index
    let hasCancelledOtherPayload = wheel.cancel(index: index, payload: 2)
    let hasCancelled = wheel.cancel(index: index, payload: 1)
    let hasCancelledAgain = wheel.cancel(index: index, payload: 1)
    let hasCancelledNextIndex = wheel.cancel(index: index + 1, payload: 1)
    _ = wheel.earliest()
    let successor = wheel.insert(deadline: 200, payload: 2)
    let hasCancelledOldPayload = wheel.cancel(index: index, payload: 1)
    let violations = wheel.checkInvariants()
    let expiries = wheel.expire(to: 1000)
    #expect(!hasCancelledOtherPayload && hasCancelled && !hasCancelledAgain)
    #expect(!hasCancelledNextIndex)
    #expect(successor.index == index && !hasCancelledOldPayload)
    #expect(expiries == [Expiry(deadline: 200, payload: 2)])
    #expect(violations == [])
  }

  @Test func `a handle beyond the table cancels nothing`() {
    var other = TimerWheel(now: 0)
    let handle = other.insert(deadline: 100, payload: 1)
    var empty = TimerWheel(now: 0)
    let cancelled = empty.cancel(handle)
    #expect(!cancelled)
  }

  @Test func `a handle of another wheel does not damage a free index`() {
    var other = TimerWheel(now: 0)
    _ = other.insert(deadline: 100, payload: 1)
    _ = other.expire(to: 100)
    let foreign = other.insert(deadline: 200, payload: 2)
    var wheel = TimerWheel(now: 0)
    _ = wheel.insert(deadline: 100, payload: 3)
    _ = wheel.expire(to: 100)
    let cancelled = wheel.cancel(foreign)
    let violations = wheel.checkInvariants()
    #expect(!cancelled)
    #expect(violations == [])
  }

  @Test(arguments: [Workload.hour, -Workload.hour])
  func `stale entries exceed timers by at most 1,024`(distance: Int64) {
    var wheel = TimerWheel(now: Workload.someday)
    let handles = (0..<20_000 as Range<UInt32>).map {
      wheel.insert(deadline: Workload.someday + distance + Int64($0), payload: $0)
    }
    var largestExcess = 0
    for handle in handles.dropLast() {
      _ = wheel.cancel(handle)
      largestExcess = max(largestExcess, wheel.staleCount - wheel.count)
    }
    let violations = wheel.checkInvariants()
    let expiries = wheel.expire(to: .max)
    #expect(largestExcess <= 1024)
    #expect(violations == [])
    #expect(expiries.map(\.payload) == [19_999])
  }

  @Test func `the earliest deadline is never that of a cancelled timer`() {
    var wheel = TimerWheel(now: 0)
    let handles = [10, 5000, 5001, 1 << 40].map { wheel.insert(deadline: $0, payload: 0) }
    var earliestDeadlines: [Int64?] = []
    for handle in handles {
      earliestDeadlines.append(wheel.earliest())
      _ = wheel.cancel(handle)
    }
    earliestDeadlines.append(wheel.earliest())
    #expect(earliestDeadlines == [10, 5000, 5001, 1 << 40, nil])
  }
}
