import CivilTime
import JSON
import Reminders
import Store
import Testing

@testable import Engine

/// Rule T6: what is told while a clock that runs ahead is believed counts, once it has come back,
/// as if it had been right.
@Suite struct ClockReturnFactsTests {
  /// A service that believes in the evening that it is a year later.
  private static func astray() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.run(to: "2026-03-02 20:30")
    let arrival = try utc("2027-03-02 12:00")
    try stage.core().believe(leapTo: arrival, by: arrival - stage.now)
    try stage.jump(to: arrival)
    return stage
  }

  private func checkIn(_ time: String) -> String {
    "\(time):00.000Z amina daily-checkin-reminder"
  }

  private func days(_ stage: Stage) -> [String] {
    stage.said.filter { $0 < "2026-03-05" }
  }

  /// A service that a leap of a year has brought to 2027, and that is told things without a time.
  private func told(
    _ tell: (Stage) throws -> Void, returning: String = "2026-03-02 21:30"
  ) throws -> Stage {
    let stage = try Self.astray()
    try tell(stage)
    try stage.jump(to: returning)
    return stage
  }

  private static let ten: JSONValue = ["reminders": ["checkin": ["time": "22:00"]]]
  private static let eleven: JSONValue = ["reminders": ["checkin": ["time": "23:00"]]]

  @Test func t6WhatWasToldWithoutATimeDoesNotWinOverWhatComesAfterwards() throws {
    let stage = try told { try $0.takeUntimed("preferences.updated", Self.ten) }
    try stage.run(to: "2026-03-02 21:40")
    try stage.takeUntimed("preferences.updated", Self.eleven)
    try stage.run(to: "2026-03-04 12:00")
    #expect(
      days(stage) == [checkIn("2026-03-02T23:00"), checkIn("2026-03-03T23:00")])
  }

  @Test func t6WhatComesWithTheReturnWinsAsWell() throws {
    let stage = try Self.astray()
    try stage.takeUntimed("preferences.updated", Self.ten)
    stage.set(clock: try utc("2026-03-02 21:30"))
    try stage.takeUntimed("preferences.updated", Self.eleven)
    try stage.run(to: "2026-03-03 12:00")
    #expect(days(stage) == [checkIn("2026-03-02T23:00")])
  }

  @Test func t6WhatWasToldWithoutATimeCountsWhenItWasTold() throws {
    let stage = try told {
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

  @Test func t6WhatHadATimeIsNotTakenForEarlierThanItWas() throws {
    let stage = try told {
      try $0.takeUntimed("preferences.updated", Self.ten)
      try $0.take("preferences.updated", Self.eleven, at: utc("2026-03-02 20:45"))
    }
    try stage.run(to: "2026-03-03 12:00")
    #expect(days(stage) == [checkIn("2026-03-02T23:00")])
  }

  @Test func t6WhatWasSaidOfWhatWasToldIsNotSaidAgain() throws {
    let stage = try told {
      try $0.takeUntimed("streak.started")
      try $0.takeUntimed("milestone.reached", ["days": 7])
      try $0.run(to: "2027-03-02 12:30")
    }
    try stage.run(to: "2026-03-02 21:45")
    #expect(stage.said.filter { $0.contains("milestone-7") }.count == 1)
  }

  @Test func t6AnErasureMeanwhileDoesNotRefuseWhatComesAfterwards() throws {
    let stage = try told { try $0.takeUntimed("recipient.deleted") }
    let receipt = try stage.takeUntimed("lesson.completed", ["day": 1])
    guard case .accepted = receipt else {
      Issue.record("it is answered \(receipt)")
      return
    }
  }
}
