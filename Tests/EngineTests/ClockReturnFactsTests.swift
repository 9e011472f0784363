import CivilTime
import JSON
import Reminders
import Store
import Testing

@testable import Engine

/// Rule T11: after the clock has come back, events reported during a trusted leap count as if the
/// clock had been right.
@Suite struct ClockReturnFactsTests {
  /// Returns a service whose clock leapt ahead by a year at 20:30; the leap was trusted.
  private static func stageDuringLeap() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.run(to: "2026-03-02 20:30")
    let arrival = try utc("2027-03-02 12:00")
    try stage.core().recordTrustedLeap(to: arrival, by: arrival - stage.now)
    try stage.jump(to: arrival)
    return stage
  }

  private func checkIn(_ time: String) -> String {
    "\(time):00.000Z amina daily-checkin-reminder"
  }

  /// Returns the lines of deliveries before 5 March.
  private func firstLines(_ stage: Stage) -> [String] {
    stage.deliveryLines.filter { $0 < "2026-03-05" }
  }

  /// Returns a service whose clock leapt ahead by a year, to 2027, and was set back.
  ///
  /// - Parameters:
  ///   - report: Reports events during the leap.
  ///   - setBackTo: The time to which the clock is set back.
  private func stageAfterLeap(
    _ report: (Stage) throws -> Void, setBackTo: String = "2026-03-02 21:30"
  ) throws -> Stage {
    let stage = try Self.stageDuringLeap()
    try report(stage)
    try stage.jump(to: setBackTo)
    return stage
  }

  private static let checkInAt22: JSONValue = ["reminders": ["checkin": ["time": "22:00"]]]
  private static let checkInAt23: JSONValue = ["reminders": ["checkin": ["time": "23:00"]]]

  @Test func `T11: an untimed event during a leap does not win over later events`() throws {
    let stage = try stageAfterLeap { try $0.takeUntimed("preferences.updated", Self.checkInAt22) }
    try stage.run(to: "2026-03-02 21:40")
    try stage.takeUntimed("preferences.updated", Self.checkInAt23)
    try stage.run(to: "2026-03-04 12:00")
    #expect(
      firstLines(stage) == [checkIn("2026-03-02T23:00"), checkIn("2026-03-03T23:00")])
  }

  @Test func `T11: an untimed event at the clock's return wins over one from the leap`() throws {
    let stage = try Self.stageDuringLeap()
    try stage.takeUntimed("preferences.updated", Self.checkInAt22)
    stage.set(clock: try utc("2026-03-02 21:30"))
    try stage.takeUntimed("preferences.updated", Self.checkInAt23)
    try stage.run(to: "2026-03-03 12:00")
    #expect(firstLines(stage) == [checkIn("2026-03-02T23:00")])
  }

  @Test func `T11: an untimed event gets the time that a right clock would have shown`() throws {
    let stage = try stageAfterLeap {
      try $0.takeUntimed("relapse")
      try $0.run(to: "2027-03-02 12:20")
      try $0.takeUntimed("streak.started")
    }
    let facts = try #require(try stage.stored()).recipient.facts
    let first = try utc("2026-03-02 20:30")
    #expect(facts.mark(Symbol("relapse"))?.last.time == first)
    #expect(facts.mark(Symbol("streak.started"))?.last.time == first + .minutes(20))
    let events = try stage.events()
    #expect(events.map(\.time).suffix(2) == [first, first + .minutes(20)])
    try stage.restart()
    #expect(try stage.stored()?.recipient.facts == facts)
  }

  @Test func `T11: an event reported with a time keeps that time`() throws {
    let stage = try stageAfterLeap {
      try $0.takeUntimed("preferences.updated", Self.checkInAt22)
      try $0.take("preferences.updated", Self.checkInAt23, at: utc("2026-03-02 20:45"))
    }
    try stage.run(to: "2026-03-03 12:00")
    #expect(firstLines(stage) == [checkIn("2026-03-02T23:00")])
  }

  @Test func `T11: a notification sent during a leap is not sent again`() throws {
    let stage = try stageAfterLeap {
      try $0.takeUntimed("streak.started")
      try $0.takeUntimed("milestone.reached", ["days": 7])
      try $0.run(to: "2027-03-02 12:30")
    }
    try stage.run(to: "2026-03-02 21:45")
    #expect(stage.deliveryLines.filter { $0.contains("milestone-7") }.count == 1)
  }

  @Test func `T11: after an erasure during a leap, later events are accepted`() throws {
    let stage = try stageAfterLeap { try $0.takeUntimed("recipient.deleted") }
    let receipt = try stage.takeUntimed("lesson.completed", ["day": 1])
    guard case .accepted = receipt else {
      Issue.record("the receipt is \(receipt)")
      return
    }
  }
}
