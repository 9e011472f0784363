import CivilTime
import Foundation
import JSON
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rules T1 and T5: a change of catalog, default zone or tz database.
@Suite struct ReplanTests {
  private func lines(_ stage: Stage) throws -> [String] {
    try stage.agenda()?.entries.map(\.line) ?? []
  }

  @Test func `T5: a catalog change while the service runs moves pending occurrences`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    #expect(try lines(stage) == ["2026-03-02T12:00:00.000Z note delivered"])
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(at: "15:00")))
    #expect(try lines(stage) == ["2026-03-02T15:00:00.000Z note delivered"])
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 15:00")))
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(reminder: "other")))
    #expect(try lines(stage) == ["2026-03-02T12:00:00.000Z other delivered"])
    #expect(try stage.status().pending == 1)
    try stage.run(to: "2026-03-02 23:00")
    #expect(stage.deliveryLines == ["2026-03-02T12:00:00.000Z amina other"])
  }

  @Test func `T5: a catalog change between two starts moves pending occurrences`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    try stage.restart(planner: Fixtures.planner(catalog: Fixtures.notes(at: "15:00")))
    try stage.run(to: stage.now)
    #expect(try lines(stage) == ["2026-03-02T15:00:00.000Z note delivered"])
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 15:00")))
    try stage.restart(planner: Fixtures.planner(defaultZone: "Asia/Tokyo"))
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.deliveryLines == ["2026-03-02T12:00:00.000Z amina daily-checkin-reminder"])
  }

  /// Returns a service that holds the note of one of two recipients in quiet hours.
  private func stageThatHolds() throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "13:00"]])
    try stage.take("relapse", of: "bilal")
    try stage.run(to: "2026-03-02 12:30")
    return stage
  }

  private static let renamedCatalog = Fixtures.notes(reminder: "other").replacing(
    "expires: 12h", with: "expires: 12h\n    was: note")

  @Test func `T5: occurrences that a reload ends are counted and withdrawn`() throws {
    let stage = try stageThatHolds()
    let other = try Fixtures.planner(catalog: Fixtures.notes(reminder: "other", at: "16:00"))
    let ended = try stage.query(EndedRemindersQuery(by: other))
    #expect(ended == [Self.endedNotes])
    try stage.plan(with: other)
    let page = try stage.query(ExportQuery(of: "amina", .notifications(after: 0)))
    let notifications = try #require(page).notifications
    #expect(
      notifications.map(\.message.reminder) == ["note"]
        && notifications.map(\.outcome) == [.dropped])
    #expect(notifications.map(\.trace.reasons) == [["quiet_hours", "withdrawn"]])
    #expect(try stage.query(EndedRemindersQuery(by: stage.planner)) == [])
    #expect(stage.world.ended == [], "a reload reports ended reminders in its answer")
  }

  /// Three occurrences end: one that is held, and the next one of each of the two recipients.
  private static let endedNotes = EndedReminder(reminder: "note", people: 2, occurrences: 3)

  private func records(_ stage: Stage, of name: String = "amina") throws -> [String] {
    let page = try stage.query(ExportQuery(of: name, .notifications(after: 0)))
    return try #require(page).notifications.map {
      "\($0.message.reminder) \($0.outcome) \($0.trace.reasons)"
    }
  }

  @Test(arguments: [false, true])
  func `T5: a start with other catalogs records ended occurrences`(isInterrupted: Bool) throws {
    let stage = try stageThatHolds()
    let other = try Fixtures.planner(catalog: Fixtures.notes(reminder: "other", at: "16:00"))
    try stage.restart(planner: other)
    if isInterrupted { try stage.restart() }
    try stage.run(to: stage.now)
    #expect(try records(stage) == ["note dropped [\"quiet_hours\", \"withdrawn\"]"])
    #expect(try records(stage, of: "bilal") == ["note delivered []"])
    #expect(stage.world.ended == [Self.endedNotes])
    // Later starts do not record the note again.
    try stage.restart()
    try stage.restart(planner: Fixtures.planner(catalog: Fixtures.notes(reminder: "third")))
    try stage.run(to: stage.now)
    #expect(try records(stage).count == 1)
    #expect(stage.world.ended.map(\.reminder) == ["note", "other"])
  }

  @Test func `T10: a reload during the replanning counts each ended occurrence once`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    let names = ["amina"] + (0..<EngineCore.batchMax).map { "u\($0)" }
    for name in names { try stage.take("relapse", of: name) }
    try stage.restart(planner: Fixtures.planner(catalog: Fixtures.notes(reminder: "other")))
    try stage.turn()
    #expect(try !stage.core().schedule.stale.isEmpty)
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(reminder: "third")))
    try stage.run(to: stage.now)
    #expect(stage.world.ended.filter { $0.reminder == "note" }.map(\.people) == [names.count])
  }

  /// The first of the recipients has a held occurrence, which the first planning records.
  @Test func `T10: a reload during the replanning keeps the counts of recorded occurrences`()
    throws
  {
    let stage = try stageThatHolds()
    for number in 0..<EngineCore.batchMax { try stage.take("relapse", of: "u\(number)") }
    try stage.restart(planner: Fixtures.planner(catalog: Fixtures.notes(reminder: "other")))
    try stage.turn()
    #expect(try !stage.core().schedule.stale.isEmpty)
    // Unlike with `planWith`, no further cycle ends the first planning before the second begins.
    try stage.core().plan(with: Fixtures.planner(catalog: Fixtures.notes(reminder: "third")))
    try stage.run(to: stage.now)
    let people = EngineCore.batchMax + 2
    let notes = stage.world.ended.filter { $0.reminder == "note" }
    #expect(
      notes == [EndedReminder(reminder: "note", people: people, occurrences: people + 1)])
  }

  @Test func `T5: a start with other catalogs withdraws overdue occurrences`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    try stage.take("relapse")
    let other = try Fixtures.planner(catalog: Fixtures.notes(reminder: "other", at: "16:00"))
    try stage.restart(planner: other, at: utc("2026-03-02 14:00"))
    try stage.run(to: stage.now)
    #expect(try records(stage) == ["note dropped [\"withdrawn\"]"])
    #expect(stage.deliveryLines.isEmpty)
    #expect(try lines(stage) == ["2026-03-02T16:00:00.000Z other delivered"])
  }

  @Test func `T5: a start with another default zone ends no occurrence`() throws {
    let stage = try stageThatHolds()
    let text = Fixtures.notes(reminder: "other", at: "16:00")
    try stage.plan(with: Fixtures.planner(catalog: text))
    let count = try records(stage).count
    let moved = try Fixtures.planner(catalog: text, defaultZone: "Asia/Tokyo")
    try stage.restart(planner: moved, at: stage.now + .days(2))
    try stage.run(to: stage.now)
    #expect(try !records(stage).dropFirst(count).contains { $0.contains("withdrawn") })
    #expect(stage.world.ended == [])
  }

  @Test(arguments: [false, true])
  func `T5: held occurrences of a renamed reminder go out`(isRestarted: Bool) throws {
    let stage = try stageThatHolds()
    let other = try Fixtures.planner(catalog: Self.renamedCatalog)
    #expect(try stage.query(EndedRemindersQuery(by: other)) == [])
    try stage.take("pending.cancelled", ["reminder": "note", "series": true], of: "bilal")
    if isRestarted { try stage.restart(planner: other) } else { try stage.plan(with: other) }
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.deliveryLines.last == "2026-03-02T13:00:00.000Z amina other")
    let count = stage.deliveryLines.count
    try stage.restart()
    try stage.run(to: "2026-03-03 14:00")
    let later = stage.deliveryLines.dropFirst(count)
    #expect(later == ["2026-03-03T13:00:00.000Z amina other"], "bilal has ended the series")
  }

  @Test(arguments: [false, true])
  func `T5: held occurrences of a removed reminder cause no work`(isRestarted: Bool) throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "13:00"]])
    try stage.run(to: "2026-03-02 12:30")
    let other = try Fixtures.planner(catalog: Fixtures.notes(reminder: "other", at: "16:00"))
    if isRestarted {
      try stage.restart(planner: other, at: utc("2026-03-02 14:00"))
      try stage.run(to: stage.now)
    } else {
      try stage.plan(with: other)
    }
    #expect(try lines(stage) == ["2026-03-02T16:00:00.000Z other delivered"])
    #expect(try stage.status().pending == 1)
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 16:00")))
    try stage.run(to: "2026-03-03 00:00")
    #expect(stage.deliveryLines == ["2026-03-02T16:00:00.000Z amina other"])
  }

  @Test func `T5: occurrences due during a catalog change are sent by the previous plan`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    for number in 0..<20 { try stage.take("relapse", of: "u\(number)") }
    let later = try Fixtures.planner(catalog: Fixtures.notes(at: "15:00"))
    // The change comes just before noon, and noon comes during the replan.
    try stage.core().turn([.planWith(later)], now: utc("2026-03-02 11:59:59.999"))
    try stage.jump(to: "2026-03-02 12:00")
    try stage.run(to: "2026-03-02 14:00")
    #expect(stage.deliveryLines.count == 20)
    try stage.run(to: "2026-03-03 16:00")
    #expect(stage.deliveryLines.count == 40)
  }

  @Test func `T5: a restart in the middle of a replan begins the replan again`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    let later = try Fixtures.planner(catalog: Fixtures.notes(at: "15:00"))
    try stage.core().turn([.planWith(later)], now: stage.now)
    try stage.restart(planner: later)
    try stage.run(to: stage.now)
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 15:00")))
    try stage.restart()
    #expect(try stage.core().schedule.stale.isEmpty)
  }

  @Test func `T5: a return to the previous catalog during a replan restores the old plan`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    let before = stage.planner
    try stage.take("relapse")
    try stage.restart(planner: Fixtures.planner(catalog: Fixtures.notes(at: "15:00")))
    try stage.restart(planner: before)
    try stage.run(to: stage.now)
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 12:00")))
  }

  @Test func `a service without recipients is replanned at once`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.plan(with: Fixtures.planner(defaultZone: "Asia/Tokyo"))
    try stage.take("relapse")
    try stage.restart()
    #expect(try stage.core().schedule.stale.isEmpty)
  }

  @Test func `T1: a change of the tz database moves pending occurrences`() throws {
    let directory = try TemporaryDirectory.inMemory()
    try copyZone("Europe/Paris", to: directory)
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.restart(planner: planner(directory, generation: 1))
    try stage.take("lesson.completed", ["day": 30])
    #expect(try lines(stage) == ["2026-03-02T20:00:00.000Z daily-checkin-reminder delivered"])
    try copyZone("America/New_York", to: directory)
    try stage.plan(with: planner(directory, generation: 2))
    #expect(try lines(stage) == ["2026-03-03T02:00:00.000Z daily-checkin-reminder delivered"])
    try stage.run(to: "2026-03-04 03:00")
    #expect(
      stage.deliveryLines == [
        "2026-03-03T02:00:00.000Z amina daily-checkin-reminder",
        "2026-03-04T02:00:00.000Z amina daily-checkin-reminder",
      ])
  }

  private func copyZone(_ name: String, to directory: TemporaryDirectory) throws {
    let content = try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/" + name))
    try content.write(to: URL(filePath: directory.path + "/City"))
  }

  private func planner(_ directory: TemporaryDirectory, generation: Int) throws -> Planner {
    let zones = try ZoneDatabase(directory: directory.path, generation: generation)
    return Planner(
      catalog: try Fixtures.planner().catalog, zones: zones,
      defaultZone: try zones.zone(named: "City"))
  }
}
