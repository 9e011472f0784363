import Access
import TestSupport
import Testing

/// Rate limits on a virtual clock.
@Suite struct RateLimitsTests {
  private let start = ContinuousClock.now

  @Test func `an idle client may send a burst`() {
    var limits = RateLimits(rate: 10, burst: 5)
    for _ in 0..<5 { #expect(limits.takeTokens(for: "a", at: start) == nil) }
    #expect(limits.takeTokens(for: "a", at: start) == .milliseconds(100))
  }

  @Test func `a client that waits as long as announced is admitted`() throws {
    var limits = RateLimits(rate: 3, burst: 2)
    var now = start
    for _ in 0..<100 {
      if let wait = limits.takeTokens(for: "a", at: now) {
        #expect(limits.takeTokens(for: "a", at: now + wait - .nanoseconds(1)) != nil)
        now += wait
        #expect(limits.takeTokens(for: "a", at: now) == nil)
      }
    }
  }

  @Test func `a refused request does not count`() {
    var limits = RateLimits(rate: 1, burst: 1)
    #expect(limits.takeTokens(for: "a", at: start) == nil)
    for _ in 0..<100 { #expect(limits.takeTokens(for: "a", at: start) == .seconds(1)) }
    #expect(limits.takeTokens(for: "a", at: start + .seconds(1)) == nil)
  }

  @Test func `H6: a group counts once for each member`() {
    var limits = RateLimits(every: .seconds(60), burst: 10)
    #expect(limits.takeTokens(for: "a", count: 8, at: start) == nil)
    #expect(limits.takeTokens(for: "a", count: 3, at: start) == .seconds(60))
    #expect(limits.takeTokens(for: "a", count: 2, at: start) == nil)
    #expect(limits.takeTokens(for: "a", at: start) == .seconds(60))
    #expect(limits.takeTokens(for: "a", count: 11, at: start + .seconds(3_600)) != nil)
    #expect(limits.takeTokens(for: "a", count: 10, at: start + .seconds(3_600)) == nil)
  }

  @Test func `H15: tokens that are given back can be used again`() {
    var limits = RateLimits(every: .seconds(60), burst: 5)
    #expect(limits.takeTokens(for: "a", count: 5, at: start) == nil)
    limits.refund(3, to: "a")
    #expect(limits.takeTokens(for: "a", count: 4, at: start) == .seconds(60))
    #expect(limits.takeTokens(for: "a", count: 3, at: start) == nil)
    limits.refund(5, to: "a")
    limits.refund(5, to: "b")
    #expect(limits.takeTokens(for: "b", count: 6, at: start) != nil)
    let later = start + .seconds(3_600)
    #expect(limits.takeTokens(for: "a", count: 5, at: later) == nil)
    #expect(limits.takeTokens(for: "a", at: later) == .seconds(60))
  }

  @Test func `H15: no more tokens are given back than a full bucket has`() {
    var limits = RateLimits(every: .seconds(60), burst: 5)
    #expect(limits.takeTokens(for: "a", count: 4, at: start) == nil)
    let later = start + .seconds(3_600)
    limits.refund(4, to: "a")
    #expect(limits.takeTokens(for: "a", count: 5, at: later) == nil)
    #expect(limits.takeTokens(for: "a", at: later) == .seconds(60))
  }

  @Test func `each client has its own rate`() {
    var limits = RateLimits(rate: 1, burst: 1)
    #expect(limits.takeTokens(for: "a", at: start) == nil)
    #expect(limits.takeTokens(for: "b", at: start) == nil)
    #expect(limits.takeTokens(for: "a", at: start) != nil)
  }

  @Test func `no interval admits more than its rate and one burst`() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    var limits = RateLimits(rate: 20, burst: 10)
    var now = start
    var admitted = 0
    for _ in 0..<10_000 {
      now += .microseconds(Int64.random(in: 0..<20_000, using: &generator))
      if limits.takeTokens(for: "a", at: now) == nil { admitted += 1 }
      let seconds = start.duration(to: now) / .seconds(1)
      #expect(Double(admitted) <= 10 + 20 * seconds + 1e-6, "seed \(seed)")
    }
    #expect(Double(admitted) > 0.95 * 20 * (start.duration(to: now) / .seconds(1)), "seed \(seed)")
  }

  @Test func `idle clients are forgotten`() {
    var limits = RateLimits(rate: 10, burst: 10)
    for number in 0..<100_000 {
      _ = limits.takeTokens(for: "\(number)", at: start + .milliseconds(number))
    }
    #expect(limits.count <= 2_048)
  }
}
