import CivilTime
import JSON
import Outbox
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rule T6: the wall clock may jump either way.
@Suite struct ClockStepTests {
  private func stage() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    return stage
  }

  /// Returns the days of all check-ins that were sent, with repetitions.
  private func days(_ stage: Stage) -> [String] {
    stage.delivered.filter { $0.reminder == "daily-checkin-reminder" }
      .map { String("\($0.planned)".prefix(10)) }
  }

  @Test func `T6: after a step of an hour ahead the occurrence is sent late`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-02 20:30")
    try stage.jump(to: "2026-03-02 21:30")
    #expect(stage.deliveryLines == ["2026-03-02T21:30:00.000Z amina daily-checkin-reminder"])
    try stage.run(to: "2026-03-04 22:00")
    #expect(days(stage) == ["2026-03-02", "2026-03-03", "2026-03-04"])
  }

  @Test(arguments: [30, 59, 61, 3_600, 80_000])
  func `T6: after a step back nothing is sent again`(seconds: Int) throws {
    let stage = try stage()
    try stage.run(to: "2026-03-02 21:00:10")
    try stage.jump(to: stage.now - .seconds(seconds))
    try stage.run(to: "2026-03-04 22:00")
    #expect(days(stage) == ["2026-03-02", "2026-03-03", "2026-03-04"])
  }

  @Test func `T6: after many steps back nothing is sent twice or out of order`() throws {
    let stage = try stage()
    var random = SplitMix64(seed: 6)
    for _ in 0..<40 {
      try stage.run(to: stage.now + .minutes(random.int(in: 1..<400)))
      try stage.jump(to: stage.now - .minutes(random.int(in: 1..<300)))
    }
    let end = stage.now
    try stage.run(to: end + .days(2))
    let dates = days(stage)
    #expect(dates.count == Set(dates).count)
    #expect(dates.count >= 2 && dates == dates.sorted())
  }

  @Test func `T6: a clock that goes a year ahead and back loses no later occurrence`() throws {
    let stage = try stage()
    try stage.take("recipient.updated", ["timezone": "UTC"], of: "bilal")
    try stage.run(to: "2026-03-02 22:00")
    try stage.jump(to: "2027-03-02 12:00")
    try stage.jump(to: "2026-03-02 22:05")
    try stage.run(to: "2026-03-06 00:00")
    // Occurrences that were due while the clock was ahead were sent or dropped. Later occurrences
    // are sent as usual.
    let laterDays = days(stage).filter { $0 > "2026-03-03" && $0 < "2026-12" }
    #expect(laterDays == ["2026-03-04", "2026-03-04", "2026-03-05", "2026-03-05"])
    let identifiers = stage.delivered.map { "\($0.identifier) \($0.channel)" }
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test(arguments: ["2026-03-04 12:00", "2026-03-12 12:00", "2027-03-02 12:00"])
  func `T6: a one-time occurrence is sent once although the clock was ahead`(leapTarget: String)
    throws
  {
    let stage = try stage()
    try stage.take("relapse")
    try stage.jump(to: leapTarget)
    try stage.jump(to: "2026-03-02 09:10")
    try stage.run(to: "2026-03-06 00:00")
    let reminders = ["relapse-recovery-reminder", "milestone-1", "milestone-3"]
    for reminder in reminders {
      #expect(stage.delivered.count { $0.reminder == reminder } == 1, "\(reminder)")
    }
  }

  @Test func `T6: events are ingested as usual after a year ahead and back`() throws {
    let stage = try stage()
    try stage.jump(to: "2027-03-02 12:00")
    try stage.core().turn([], now: utc("2026-03-02 09:10"))
    try stage.jump(to: "2026-03-02 09:10")
    try stage.take("relapse")
    try stage.take("relapse", of: "bilal")
    #expect(
      try stage.agenda()?.entries.contains {
        $0.reminder == "relapse-recovery-reminder" && "\($0.at)" == "2026-03-03T08:00:00.000Z"
      } == true)
    try stage.run(to: "2026-03-03 08:00")
    #expect(
      Set(stage.deliveryLines.suffix(2)) == [
        "2026-03-03T08:00:00.000Z amina relapse-recovery-reminder",
        "2026-03-03T08:00:00.000Z bilal relapse-recovery-reminder",
      ])
  }

  @Test func `T6: an event in the cycle of the step back is ingested as usual`() throws {
    let stage = try stage()
    try stage.jump(to: "2027-03-02 12:00")
    let relapse = try Fixtures.event(
      "r", "relapse", of: "amina", at: utc("2026-03-02 09:10"), planner: stage.planner)
    let answer = AnswerBox<[Receipt]>()
    try stage.core().turn([.submit([relapse], answer.take)], now: utc("2026-03-02 09:10"))
    #expect(try answer.value().map { "\($0)" } == ["accepted"])
    try stage.jump(to: "2026-03-02 09:10")
    try stage.run(to: "2026-03-03 08:00")
    #expect(stage.deliveryLines.last == "2026-03-03T08:00:00.000Z amina relapse-recovery-reminder")
  }

  @Test func `T6: an outage does not last for the year that the clock was ahead`() throws {
    let stage = try stage()
    stage.reply = Stage.failing
    try stage.jump(to: "2027-03-02 21:00")
    stage.reply = Stage.accepting
    try stage.jump(to: "2026-03-02 20:59")
    try stage.run(to: "2026-03-02 21:05")
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 21:06")
    #expect(stage.deliveryLines.contains { $0.hasSuffix("milestone-7") })
  }

  @Test func `T6: a retry does not wait for the year that the clock was ahead`() throws {
    let stage = try stage()
    try stage.jump(to: "2027-03-02 12:00")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2027-03-02 12:00:02")
    #expect(stage.attempts.last?.reminder == "milestone-7")
    stage.reply = Stage.accepting
    try stage.jump(to: "2026-03-02 09:10")
    try stage.run(to: "2026-03-02 09:20")
    #expect(stage.delivered.last?.reminder == "milestone-7")
    #expect(try stage.status().lanes[0].retrying == 0)
  }
}
