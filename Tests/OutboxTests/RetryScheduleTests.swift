import CivilTime
import DeliverySamples
import Outbox
import Testing

/// Rule D2: the times of retries.
@Suite struct RetryScheduleTests {
  private static let waits: [TimeSpan] = [
    .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14),
    .hours(20), .hours(24),
  ]

  private func wait(
    _ attempts: Int, requested: TimeSpan? = nil, notification: Int64 = 1
  ) -> TimeSpan? {
    RetrySchedule.next(
      after: attempts, requested: requested, notification: notification, now: Fixtures.noon
    ).map { .milliseconds(Int($0.milliseconds - Fixtures.noon.milliseconds)) }
  }

  @Test func `D2: each wait is the scheduled wait plus up to a tenth of it`() throws {
    for (index, scheduled) in Self.waits.enumerated() {
      for notification: Int64 in -50...50 {
        let wait = try #require(self.wait(index + 1, notification: notification))
        #expect(wait >= scheduled)
        #expect(wait.milliseconds <= scheduled.milliseconds * 11 / 10)
      }
    }
  }

  @Test(arguments: [-1, 0, 10, 11, .max])
  func `D2: there is no retry after the last scheduled retry`(attempts: Int) {
    #expect(wait(attempts) == nil)
    #expect(wait(attempts, requested: .seconds(1)) == nil)
  }

  @Test func `D2: the sink's Retry-After counts if it is longer`() throws {
    let longer = try #require(wait(1, requested: .hours(3)))
    #expect(longer >= .hours(3) && longer <= .minutes(198))
    #expect(wait(2, requested: .seconds(1)) == wait(2))
  }

  @Test func `D2: jitter spreads many retries and is deterministic`() {
    let waits = (1...1_000).map { wait(2, notification: $0)?.milliseconds ?? 0 }
    #expect(waits == (1...1_000).map { wait(2, notification: $0)?.milliseconds ?? 0 })
    #expect(Set(waits).count > 500)
    let average = waits.reduce(0, +) / 1_000
    #expect((313_000...317_000).contains(average))
  }

  @Test(arguments: zip(1...9, [1, 2, 4, 8, 16, 32, 60, 60, 60]))
  func `the pause after an outage doubles up to a minute`(count: Int, seconds: Int) {
    #expect(RetrySchedule.pause(afterOutages: count) == .seconds(seconds))
  }

  @Test func `a pause is random up to its limit and the same for one seed`() {
    for count in 1...9 {
      let limit = RetrySchedule.pause(afterOutages: count)
      let pauses = (0..<200).map { RetrySchedule.pause(afterOutages: count, seed: $0) }
      #expect(pauses.allSatisfy { $0 >= .milliseconds(100) && $0 <= limit })
      #expect(Set(pauses).count > 100)
      #expect(pauses == (0..<200).map { RetrySchedule.pause(afterOutages: count, seed: $0) })
    }
  }

  @Test func `a pause is never longer than a minute`() {
    #expect(RetrySchedule.pause(afterOutages: .max) == .minutes(1))
  }
}
