import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule T7: occurrences that were due while the service was down.
@Suite struct CatchUpTests {
  /// Returns the timeline of a service that was down from one morning until this instant.
  private func timeline(backAt instant: String, _ prepare: (Stage) throws -> Void) throws
    -> [String]
  {
    try stage(backAt: instant, prepare).timeline
  }

  private func stage(backAt instant: String, _ prepare: (Stage) throws -> Void) throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try prepare(stage)
    try stage.restart(at: utc(instant))
    try stage.run(to: stage.now)
    return stage
  }

  @Test func `T7: unexpired occurrences are delivered after a downtime`() throws {
    let lines = try timeline(backAt: "2026-03-03 08:00") {
      try $0.take("lesson.completed", ["day": 30])
      try $0.take("milestone.reached", ["days": 3])
    }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(" > ") && $0.hasPrefix("2026-03-03T08:00:00.000Z") })
  }

  @Test func `T7: of several days only the latest occurrence is sent, the others share a record`()
    throws
  {
    let stage = try stage(backAt: "2026-03-06 22:00") {
      try $0.take("lesson.completed", ["day": 30])
    }
    #expect(
      try stage.timeline.map {
        $0.split(separator: " ").dropFirst(4).prefix(4).joined(separator: " ")
      } == [
        "x of 2026-03-05T21:00:00.000Z [\"missed\"]", "> of 2026-03-06T21:00:00.000Z []",
      ])
    #expect(stage.notes.map(\.runLength) == [4, 1])
    let page = try stage.query(ExportQuery(of: "amina", .notifications(after: 0)))
    let notifications = try #require(page).notifications
    #expect(notifications.map(\.trace.runLength) == [4, 1])
    #expect(notifications.map(\.trace.reasons) == [["missed"], []])
    let counters = try stage.core().counters
    #expect(counters.verdicts[Int(Gate.missed.rawValue)].dropped == 4)
  }

  // MARK: - Occurrences brought forward

  /// Returns a service that was down around 20:00, when the quiet hours of its recipient begin. The
  /// recipient has an appointment the next morning.
  private func stageOfVisit(down: String, until back: String) throws -> Stage {
    let text = Fixtures.notes(trigger: "").replacing(
      "every: {day: {at: $time}}",
      with: "before: {event: visit, at: at, by: 2h}\n    early: 15m"
    ).replacing(
      "categories:", with: "events: {visit: {visit: identifier, at: instant}}\ncategories:")
    let stage = try Stage(catalog: text, at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "07:00"]])
    try stage.take("visit", ["visit": "v", "at": "2026-03-03T06:30:00Z"])
    try stage.run(to: down)
    try stage.restart(at: utc(back))
    try stage.run(to: stage.now)
    return stage
  }

  @Test func `V10: an occurrence brought forward is still sent after a short downtime`() throws {
    let stage = try stageOfVisit(down: "2026-03-02 19:44", until: "2026-03-02 19:58")
    #expect(stage.delivered.map(\.message.title) == ["Note"])
  }

  @Test func `V10: an occurrence brought forward is missed if a downtime ends in quiet hours`()
    throws
  {
    let stage = try stageOfVisit(down: "2026-03-02 19:44", until: "2026-03-02 20:01")
    let page = try stage.query(ExportQuery(of: "amina", .notifications(after: 0)))
    let notifications = try #require(page).notifications
    #expect(notifications.map(\.trace.reasons) == [["quiet_hours", "missed"]])
    let counters = try stage.core().counters
    #expect(counters.verdicts[Int(Gate.missed.rawValue)].dropped == 1)
    try stage.run(to: "2026-03-04 09:00")
    #expect(stage.delivered.isEmpty)
  }

  @Test func `T7: expired occurrences are recorded as dropped`() throws {
    let lines = try timeline(backAt: "2026-03-03 10:00") {
      try $0.take("lesson.completed", ["day": 30])
    }
    #expect(
      lines == [
        "2026-03-02T21:00:00.000Z amina daily-checkin-reminder push x of "
          + "2026-03-02T21:00:00.000Z [\"expired\"]"
      ])
  }

  @Test func `T7: a service that returns during quiet hours holds overdue occurrences`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]])
    try stage.restart(at: utc("2026-03-02 23:00"))
    try stage.run(to: "2026-03-03 12:00")
    #expect(stage.deliveryLines == ["2026-03-03T06:00:00.000Z amina daily-checkin-reminder"])
  }

  @Test func `D1: a delivery unanswered at a crash is sent again under the same id`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    stage.reply = nil
    try stage.run(to: "2026-03-02 21:00")
    let dispatched = stage.world.takeBatches().flatMap(\.deliveries)
    #expect(dispatched.count == 1)
    try stage.crash()
    stage.reply = Stage.accepting
    try stage.run(to: stage.now)
    #expect(stage.delivered == dispatched)
    try stage.restart()
    try stage.run(to: stage.now)
    #expect(stage.delivered.count == 1)
  }
}
