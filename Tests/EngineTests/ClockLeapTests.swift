import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// Rule T6: a clock that leaps ahead although no time has passed. The tests run the engine's whole
/// loop.
@Suite struct ClockLeapTests {
  /// Returns a service that has one recipient and stops on the evening of the third day.
  private func stage() throws -> LoopStage {
    let stage = try LoopStage(at: "2026-03-02 09:00")
    try stage.take(at: "2026-03-02 09:00", "lesson.completed", ["day": 30])
    try stage.stop(at: "2026-03-04 22:00")
    return stage
  }

  private static let usualLines = ["02", "03", "04"].map {
    "2026-03-\($0)T21:00:00.000Z amina daily-checkin-reminder"
  }

  @Test(arguments: ["2026-03-03 12:00", "2027-03-02 12:00", "2038-01-19 03:14"])
  func `T6: a leap that ends before it is trusted has no effect`(target: String) throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: target)
    let status = try stage.ask(at: "2026-03-02 12:03")
    try stage.setClock(at: "2026-03-02 12:04", to: nil)
    let laterStatus = try stage.ask(at: "2026-03-02 12:05")
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines == Self.usualLines)
    #expect(try stage.recordedCount() == 3)
    let leap = try #require(try status.value().clockLeap)
    #expect(leap == (try utc(target)) + .minutes(3))
    #expect(try status.value().now == (try utc("2026-03-02 12:03")))
    #expect(
      StatusReporter.line(try status.value()).hasPrefix(
        "the clock has leapt ahead to \(leap) and is not trusted yet; nothing is sent; "))
    #expect(try laterStatus.value().clockLeap == nil)
    #expect(stage.host.stale == [])
  }

  @Test func `T6: occurrences due during a leap go out when the clock is right`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 20:58", to: "2027-03-02 12:00")
    try stage.setClock(at: "2026-03-02 21:02", to: nil)
    #expect(try stage.run() == nil)
    let late = "2026-03-02T21:02:00.000Z amina daily-checkin-reminder"
    #expect(stage.deliveryLines == [late] + Self.usualLines.dropFirst())
    #expect(try stage.recordedCount() == 3)
  }

  @Test func `T6: events are ingested at the time without the leap`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: "2027-03-02 12:00")
    let receipts = AnswerBox<[Receipt]>()
    try stage.take(at: "2026-03-02 12:02", "milestone.reached", ["days": 7], receipts.take)
    try stage.setClock(at: "2026-03-02 12:04", to: nil)
    #expect(try stage.run() == nil)
    #expect(try receipts.value().map(\.word) == ["accepted"])
    #expect(stage.deliveryLines == ["2026-03-02T12:04:00.000Z amina milestone-7"] + Self.usualLines)
  }

  @Test func `T6: a leap that lasts is trusted`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: "2026-04-02 12:00")
    let statusBeforeTrust = try stage.ask(at: "2026-03-02 12:04")
    let statusAfterTrust = try stage.ask(at: "2026-03-02 12:06")
    #expect(try stage.run() == nil)
    #expect(try statusBeforeTrust.value().clockLeap != nil)
    #expect(try statusAfterTrust.value().clockLeap == nil)
    #expect(try statusAfterTrust.value().now == (try utc("2026-04-02 12:06")))
    #expect(
      stage.deliveryLines == [
        "2026-04-02T21:00:00.000Z amina daily-checkin-reminder",
        "2026-04-03T21:00:00.000Z amina daily-checkin-reminder",
        "2026-04-04T21:00:00.000Z amina daily-checkin-reminder",
      ])
    #expect(try stage.recordedCount() == 5, "one for the missed run, one expired and three sent")
  }

  @Test func `T6: a leap that was trusted for a while prevents no later notification`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: "2038-01-19 03:14")
    try stage.setClock(at: "2026-03-02 13:00", to: nil)
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines.filter { $0.hasPrefix("2026") } == Self.usualLines)
    #expect(try stage.recordedCount() == 5)
  }

  @Test func `T6: a reload confirms the clock`() throws {
    let stage = try stage()
    try stage.setClock(at: "2026-03-02 12:00", to: "2026-03-03 08:00")
    let answer = AnswerBox<Planner>()
    let configuration = RuntimeConfiguration(
      planner: stage.planner, sinks: [NamedSink()], routes: Routes(allTo: NamedSink().name),
      unchangedSinks: [NamedSink().name])
    let status = try stage.ask(at: "2026-03-02 12:01:01")
    stage.host.plan(at: try utc("2026-03-02 12:01")) { [host = stage.host] in
      host.requestQueue.post(.adopt(configuration, answer.take))
    }
    #expect(try stage.run() == nil)
    _ = try answer.value()
    #expect(try status.value().clockLeap == nil)
    #expect(stage.deliveryLines.first == "2026-03-03T08:01:00.000Z amina daily-checkin-reminder")
  }
}
