import Access
import TestSupport
import Testing

/// Rates, on a clock that the tests set.
@Suite struct RateLimitsTests {
  private let start = ContinuousClock.now

  @Test func afterARestManyMayAskAtOnce() {
    var limits = RateLimits(rate: 10, burst: 5)
    for _ in 0..<5 { #expect(limits.wait(for: "a", at: start) == nil) }
    #expect(limits.wait(for: "a", at: start) == .milliseconds(100))
  }

  @Test func whoWaitsAsToldMayAsk() throws {
    var limits = RateLimits(rate: 3, burst: 2)
    var now = start
    for _ in 0..<100 {
      if let wait = limits.wait(for: "a", at: now) {
        #expect(limits.wait(for: "a", at: now + wait - .nanoseconds(1)) != nil)
        now += wait
        #expect(limits.wait(for: "a", at: now) == nil)
      }
    }
  }

  @Test func whoIsRefusedUsesNothingUp() {
    var limits = RateLimits(rate: 1, burst: 1)
    #expect(limits.wait(for: "a", at: start) == nil)
    for _ in 0..<100 { #expect(limits.wait(for: "a", at: start) == .seconds(1)) }
    #expect(limits.wait(for: "a", at: start + .seconds(1)) == nil)
  }

  @Test func eachHasARateOfTheirOwn() {
    var limits = RateLimits(rate: 1, burst: 1)
    #expect(limits.wait(for: "a", at: start) == nil)
    #expect(limits.wait(for: "b", at: start) == nil)
    #expect(limits.wait(for: "a", at: start) != nil)
  }

  @Test func noTimeLetsMoreThroughThanRateAndBurst() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    var limits = RateLimits(rate: 20, burst: 10)
    var now = start
    var admitted = 0
    for _ in 0..<10_000 {
      now += .microseconds(Int64.random(in: 0..<20_000, using: &generator))
      if limits.wait(for: "a", at: now) == nil { admitted += 1 }
      let seconds = start.duration(to: now) / .seconds(1)
      #expect(Double(admitted) <= 10 + 20 * seconds + 1e-6, "seed \(seed)")
    }
    #expect(Double(admitted) > 0.95 * 20 * (start.duration(to: now) / .seconds(1)), "seed \(seed)")
  }

  @Test func whoHasRestedIsForgotten() {
    var limits = RateLimits(rate: 10, burst: 10)
    for number in 0..<100_000 {
      _ = limits.wait(for: "\(number)", at: start + .milliseconds(number))
    }
    #expect(limits.count <= 2_048)
  }
}
