import Testing

@testable import ChimedClient

/// The decisions whether and when a request is sent again (rule H23).
@Suite struct RetriesTests {
  private static let retries = ChimedRetries(
    attempts: 3, waits: ChimedWaits(first: .seconds(1), longest: .seconds(10)))

  private func wait(_ failures: Int, _ error: ChimedError, spread: Double = 0) -> Duration? {
    Self.retries.wait(after: failures, error, spread: spread)
  }

  private static func refusal(_ status: Int, after: Duration? = nil) -> ChimedError {
    .refused(ChimedProblem(status: status, detail: "no", retryAfter: after))
  }

  @Test(arguments: [
    ChimedError.unreachable(reason: "reset"), .late(.seconds(60)), refusal(503), refusal(507),
    refusal(502), refusal(504), refusal(408), refusal(429, after: .zero),
  ])
  func `H23: a request is sent again after a temporary failure`(error: ChimedError) {
    #expect(wait(1, error) == .seconds(1))
    #expect(wait(2, error) == .seconds(2))
    #expect(wait(3, error) == nil)
  }

  @Test(arguments: [
    ChimedError.cancelled, .unreadable("x"), .invalid("x"), refusal(400), refusal(401),
    refusal(403), refusal(404), refusal(409), refusal(412), refusal(422), refusal(429),
    refusal(500),
  ])
  func `H23: a request is not sent again after another failure`(error: ChimedError) {
    #expect(wait(1, error) == nil)
  }

  @Test func `H23: a wait is at least as long as the service requires`() {
    #expect(wait(1, Self.refusal(503, after: .seconds(5))) == .seconds(5))
    #expect(wait(2, Self.refusal(503, after: .seconds(1))) == .seconds(2))
  }

  @Test func `H23: waits double up to the longest`() {
    let waits = ChimedWaits(first: .seconds(1), longest: .seconds(10))
    let durations = (1...6).map { waits.wait(after: $0, spread: 0) }
    #expect(durations == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    #expect(waits.wait(after: .max, spread: 0) == .seconds(10))
    #expect(ChimedWaits(first: .zero).wait(after: .max, spread: 0) == .zero)
  }

  @Test func `H23: the spread shortens a wait by at most half`() {
    let waits = ChimedWaits(first: .seconds(8), longest: .seconds(60))
    #expect(waits.wait(after: 1, spread: 0.5) == .seconds(6))
    #expect(waits.wait(after: 1, spread: 1) == .seconds(4))
    #expect(waits.wait(after: 1, spread: 7) == .seconds(4))
  }
}
