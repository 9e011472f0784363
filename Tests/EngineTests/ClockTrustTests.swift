import CivilTime
import JSON
import Testing

@testable import Engine

/// Rule T6: the current time, from a wall clock that may be set and the time since boot.
@Suite struct ClockTrustTests {
  /// A reading of both clocks and the expected result, in minutes since the start.
  private struct Row {
    let sinceBoot: Int
    let wall: Int
    let now: Int
    /// The minutes until the wall clock is trusted; nil if it is trusted.
    let minutesUntilTrust: Int?

    init(_ sinceBoot: Int, _ wall: Int, _ now: Int, _ minutesUntilTrust: Int? = nil) {
      (self.sinceBoot, self.wall, self.now, self.minutesUntilTrust) = (
        sinceBoot, wall, now, minutesUntilTrust
      )
    }
  }

  private static let start = Instant(milliseconds: 1_772_409_600_000)
  /// A year in minutes.
  private static let year = 525_600

  private func expect(
    _ rows: [Row], trustAfter: Int = 5, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var trust = ClockTrust(
      wall: Self.start, sinceBoot: .hours(9), trustAfter: .minutes(trustAfter))
    for (index, row) in rows.enumerated() {
      let wall = Self.start + .minutes(row.wall)
      let reading = trust.read(wall: wall, sinceBoot: .hours(9) + .minutes(row.sinceBoot))
      let now = Self.start + .minutes(row.now)
      let expected = ClockTrust.Reading(
        now: now, lead: row.minutesUntilTrust == nil ? .zero : wall - now,
        release: row.minutesUntilTrust.map { now + .minutes($0) })
      #expect(reading == expected, "row \(index)", sourceLocation: sourceLocation)
    }
  }

  @Test func `T6: the span by which the clock was set back is reported once`() {
    var trust = ClockTrust(wall: Self.start, sinceBoot: .hours(9), trustAfter: .minutes(5))
    func read(_ sinceBoot: Int, _ wall: Int) {
      _ = trust.read(wall: Self.start + .minutes(wall), sinceBoot: .hours(9) + .minutes(sinceBoot))
    }
    read(1, 1)
    #expect(trust.takeSetBack() == .zero)
    read(60, 50)
    read(62, 40)
    #expect(trust.takeSetBack() == .minutes(22))
    #expect(trust.takeSetBack() == .zero)
    // The end of a leap that was not trusted is no step back.
    read(63, 500)
    read(64, 42)
    #expect(trust.takeSetBack() == .zero)
  }

  @Test func `T6: time that passes on both clocks is trusted`() {
    expect([Row(0, 0, 0), Row(1, 1, 1), Row(Self.year, Self.year, Self.year)])
  }

  @Test func `T6: a leap of an hour is trusted, a longer leap is not`() {
    expect([Row(1, 61, 61), Row(2, 122, 122), Row(3, 184, 123, 5)])
  }

  @Test func `T6: a leap that ends has no effect`() {
    expect([Row(1, Self.year, 1, 5), Row(4, Self.year + 3, 4, 2), Row(5, 5, 5), Row(6, 6, 6)])
  }

  @Test func `T6: a leap that lasts for five minutes is trusted`() {
    let leapTime = Self.year
    expect([
      Row(1, leapTime, 1, 5), Row(5, leapTime + 4, 5, 1), Row(6, leapTime + 5, leapTime + 5),
      Row(7, leapTime + 6, leapTime + 6),
    ])
  }

  @Test func `T6: a second leap restarts the wait`() {
    expect([
      Row(1, Self.year, 1, 5), Row(4, 2 * Self.year, 4, 5), Row(8, 2 * Self.year + 4, 8, 1),
      Row(9, 2 * Self.year + 5, 2 * Self.year + 5),
    ])
  }

  @Test func `T6: a small correction during a leap does not restart the wait`() {
    expect([Row(1, Self.year, 1, 5), Row(3, Self.year + 30, 3, 3)])
  }

  @Test func `T6: a clock that is set back is trusted`() {
    expect([Row(1, -Self.year, -Self.year), Row(2, -Self.year + 1, -Self.year + 1)])
  }

  @Test func `T6: with a wait of zero every leap is trusted`() {
    expect([Row(1, Self.year, Self.year)], trustAfter: 0)
  }

  @Test func `T6: a confirmed clock is trusted at once`() {
    var trust = ClockTrust(wall: Self.start, sinceBoot: .zero, trustAfter: .minutes(5))
    let leapTime = Self.start + .days(400)
    #expect(trust.read(wall: leapTime, sinceBoot: .minutes(1)).release != nil)
    trust.accept(wall: leapTime, sinceBoot: .minutes(1))
    let later = trust.read(wall: leapTime + .minutes(1), sinceBoot: .minutes(2))
    #expect(later == ClockTrust.Reading(now: leapTime + .minutes(1)))
  }

  // MARK: - Restarts

  /// Returns a service that begins on 2 March at 09:00, with one recipient.
  private func firstService() throws -> LoopStage {
    let stage = try LoopStage(at: "2026-03-02 09:00")
    try stage.take(at: "2026-03-02 09:00", "lesson.completed", ["day": 30])
    return stage
  }

  @Test func `T6: a leap is still doubted after a restart`() throws {
    let first = try firstService()
    try first.setClock(at: "2026-03-02 20:56", to: "2027-03-02 12:00")
    try first.stop(at: "2026-03-02 20:59")
    #expect(try first.run() == nil)
    let second = try LoopStage(after: first)
    try second.setClock(at: "2026-03-02 21:02", to: nil)
    try second.stop(at: "2026-03-03 22:00")
    #expect(try second.run() == nil)
    #expect(first.deliveryLines == [])
    #expect(
      second.deliveryLines == [
        "2026-03-02T21:02:00.000Z amina daily-checkin-reminder",
        "2026-03-03T21:00:00.000Z amina daily-checkin-reminder",
      ])
  }

  @Test func `T6: a leap during a restart is doubted`() throws {
    let first = try firstService()
    try first.stop(at: "2026-03-02 20:59")
    #expect(try first.run() == nil)
    first.host.setClock(to: try utc("2026-03-23 20:59"))
    let second = try LoopStage(after: first)
    try second.stop(at: "2026-03-02 21:03")
    #expect(try second.run() == nil)
    #expect(second.deliveryLines == [])
    let third = try LoopStage(after: second)
    try third.stop(at: "2026-03-02 21:20")
    #expect(try third.run() == nil)
    #expect(third.deliveryLines == ["2026-03-23T21:08:00.000Z amina daily-checkin-reminder"])
  }

  /// Returns a service that waits for the right clock (rule T12): after a boot the clock shows
  /// 1970, and it is corrected at 21:05.
  private func waitingService() throws -> LoopStage {
    let first = try firstService()
    try first.stop(at: "2026-03-02 20:59")
    #expect(try first.run() == nil)
    first.host.setClock(to: try utc("1970-01-01 00:00"))
    let second = try LoopStage(after: first, boot: "second")
    try second.setClock(at: "2026-03-02 21:05", to: nil)
    return second
  }

  private static let lateDelivery = "2026-03-02T21:05:00.000Z amina daily-checkin-reminder"

  @Test func `T6: a leap after a wait for the right clock is doubted`() throws {
    let stage = try waitingService()
    try stage.setClock(at: "2026-03-02 21:10", to: "2028-03-02 21:10")
    try stage.setClock(at: "2026-03-02 21:14", to: nil)
    try stage.stop(at: "2026-03-02 21:20")
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines == [Self.lateDelivery])
  }

  @Test func `T6: a leap during a restart after a wait for the right clock is doubted`() throws {
    let stage = try waitingService()
    try stage.stop(at: "2026-03-02 21:10")
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines == [Self.lateDelivery])
    stage.host.setClock(to: try utc("2028-03-02 21:10"))
    let third = try LoopStage(after: stage, boot: "second")
    try third.setClock(at: "2026-03-02 21:14", to: nil)
    try third.stop(at: "2026-03-02 21:20")
    #expect(try third.run() == nil)
    #expect(third.deliveryLines == [])
  }

  @Test func `T6: a service that has waited for the right clock restarts without a wait`() throws {
    let stage = try waitingService()
    try stage.stop(at: "2026-03-03 20:59")
    #expect(try stage.run() == nil)
    let third = try LoopStage(after: stage, boot: "second")
    try third.stop(at: "2026-03-03 21:01")
    #expect(try third.run() == nil)
    #expect(third.deliveryLines == ["2026-03-03T21:00:00.000Z amina daily-checkin-reminder"])
  }

  @Test(arguments: ["second", nil])
  func `T6: after weeks without power the wall clock is trusted at once`(boot: String?) throws {
    let first = try firstService()
    try first.stop(at: "2026-03-02 20:59")
    #expect(try first.run() == nil)
    first.host.setClock(to: try utc("2026-03-23 20:59"))
    let second = try LoopStage(after: first, boot: boot)
    try second.stop(at: "2026-03-02 21:03")
    #expect(try second.run() == nil)
    #expect(second.deliveryLines.last == "2026-03-23T21:00:00.000Z amina daily-checkin-reminder")
  }
}
