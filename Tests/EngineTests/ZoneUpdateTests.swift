import CivilTime
import Foundation
import JSON
import Reminders
import TestSupport
import Testing

@testable import Engine

/// Rule T1: a change of the tz database during operation moves occurrences at local times.
@Suite struct ZoneUpdateTests {
  /// The rules of British Columbia with winter time, and those without it.
  private static let rulesBefore = """
    # version 2025b
    Rule Canada 2007 max - Mar Sun>=8 2:00 1:00 D
    Rule Canada 2007 max - Nov Sun>=1 2:00 0 S
    Zone America/Vancouver -8:00 Canada P%sT
    Zone Europe/Madrid 1:00 - CET
    Zone UTC 0 - UTC
    """
  private static let rulesAfter = """
    # version 2026f
    Rule Canada 2007 max - Mar Sun>=8 2:00 1:00 D
    Rule Canada 2007 max - Nov Sun>=1 2:00 0 S
    Zone America/Vancouver -8:00 Canada P%sT 2026 Mar 8 2:00
    \t-7:00 - MST
    Zone Europe/Madrid 1:00 - CET
    Zone UTC 0 - UTC
    """

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory.inMemory()
  }

  private func planner(
    _ rules: String, generation: Int, after planner: Planner? = nil
  ) throws -> Planner {
    let path = directory.path + "/\(generation)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data((rules + "\n").utf8).write(to: URL(filePath: path + "/tzdata.zi"))
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/sbin/zic")
    compiler.arguments = ["-b", "fat", "-d", path, path + "/tzdata.zi"]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let zones = try ZoneDatabase(
      directory: path, generation: generation,
      lastKnown: planner?.zones.archive ?? ZoneArchive())
    return Planner(
      catalog: try Fixtures.planner().catalog, zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }

  private func stage() throws -> Stage {
    let stage = try Stage(planner: planner(Self.rulesBefore, generation: 1), at: "2026-12-24 20:00")
    for (name, zone) in [
      ("amina", "America/Vancouver"), ("bilal", "America/Vancouver"), ("carla", "Europe/Madrid"),
    ] {
      try stage.take("recipient.updated", ["timezone": .string(zone)], of: name)
      try stage.take("lesson.completed", ["day": 30], of: name)
      let time: JSONValue = ["reminders": ["checkin": ["time": "09:00"]]]
      try stage.take("preferences.updated", time, of: name)
    }
    return stage
  }

  @Test func `T1: a reminder at Christmas moves by an hour once`() throws {
    let stage = try stage()
    #expect(try stage.agenda()?.entries.first?.at == Instant("2026-12-25T17:00:00Z"))
    try stage.plan(with: planner(Self.rulesAfter, generation: 2))
    #expect(try stage.agenda()?.entries.first?.at == Instant("2026-12-25T16:00:00Z"))
    var update = ZoneUpdate(version: "2026f", zones: ["America/Vancouver", "Canada/Pacific"])
    update.recipients = 3
    update.affected = 2
    update.moved = 2
    #expect(stage.world.zoneUpdates == [update])
    #expect(
      update.description == "the tz database is now 2026f, with new rules for America/Vancouver, "
        + "Canada/Pacific; 2 of 3 recipients live there and were replanned; 2 of their pending "
        + "reminders have moved")
    try stage.run(to: "2026-12-26 00:00")
    #expect(
      stage.deliveryLines.filter { $0.contains("amina") } == [
        "2026-12-25T16:00:00.000Z amina daily-checkin-reminder"
      ])
    #expect(
      stage.deliveryLines.filter { $0.contains("carla") } == [
        "2026-12-25T08:00:00.000Z carla daily-checkin-reminder"
      ])
  }

  /// The second change comes with the cycle that ends the replanning for the first change.
  @Test func `T1: each of two updates counts every recipient once`() throws {
    let stage = try stage()
    let nextVersion = Self.rulesAfter.replacing("2026f", with: "2026g")
    for (rules, generation) in [(Self.rulesAfter, 2), (nextVersion, 3)] {
      try stage.turn([.planWith(planner(rules, generation: generation))])
    }
    try stage.run(to: stage.now)
    let updates = stage.world.zoneUpdates
    #expect(updates.map(\.version) == ["2026f", "2026g"])
    #expect(updates.map(\.recipients) == [3, 3] && updates.map(\.moved) == [2, 0])
  }

  @Test func `T1: another version with the same rules moves nothing`() throws {
    let stage = try stage()
    let nextVersion = Self.rulesBefore.replacing("2025b", with: "2025c")
    try stage.plan(with: planner(nextVersion, generation: 2))
    var update = ZoneUpdate(version: "2025c", zones: [])
    update.recipients = 3
    #expect(stage.world.zoneUpdates == [update])
    #expect(update.description.hasSuffix("2025c; no zone's rules have changed"))
  }

  @Test func `T1: a reload with the same zones reports no update`() throws {
    let stage = try stage()
    try stage.plan(
      with: stage.planner.renewed(
        zones: stage.planner.zones, defaultZone: stage.planner.defaultZone))
    #expect(stage.world.zoneUpdates.isEmpty)
  }

  private static let withoutMadrid = rulesBefore.replacing(
    "Zone Europe/Madrid 1:00 - CET\n", with: "")

  @Test func `T4: a lost zone is reported with its recipients`() throws {
    let stage = try stage()
    let loss =
      "the time zone database has no zone \"Europe/Madrid\", and its last known rules "
      + "apply; install the package tzdata-legacy, or report another zone (1 recipient)"
    try stage.plan(with: planner(Self.withoutMadrid, generation: 2, after: stage.planner))
    #expect(
      stage.world.zoneUpdates.last?.description.hasSuffix("no zone's rules have changed; \(loss)")
        == true)
    #expect(try stage.status().dataWarnings.first == loss)
    #expect(
      StatusReporter.line(try stage.status()).hasSuffix(
        "; 1 recipient is in zones that the tz database has lost: Europe/Madrid"))
    try stage.restart()
    try stage.run(to: "2026-12-25 08:00")
    #expect(stage.world.zoneUpdates.last?.description == loss)
    #expect(try stage.status().dataWarnings.first == loss)
    #expect(stage.deliveryLines.contains("2026-12-25T08:00:00.000Z carla daily-checkin-reminder"))
  }

  @Test func `T4: a zone without last known rules is reported at a start`() throws {
    let stage = try stage()
    try stage.restart(planner: planner(Self.withoutMadrid, generation: 1_000))
    try stage.run(to: "2026-12-25 09:00")
    let loss = "\"Europe/Madrid\", and the default zone applies"
    #expect(stage.world.zoneUpdates.last?.description.contains(loss) == true)
    #expect(try stage.agenda(of: "carla")?.isDefaultZone == true)
    #expect(stage.deliveryLines.contains("2026-12-25T09:00:00.000Z carla daily-checkin-reminder"))
  }

  @Test(arguments: [false, true])
  func `T5: new zone rules lose no reminder, during operation or at a restart`(
    isRestart: Bool
  ) throws {
    let stage = try stage()
    try stage.run(to: "2026-12-25 16:30")
    let planner = try planner(Self.rulesAfter, generation: 2, after: stage.planner)
    if isRestart { try stage.restart(planner: planner) } else { try stage.plan(with: planner) }
    try stage.run(to: "2026-12-26 15:59")
    let lines = stage.deliveryLines.filter { $0.contains("amina") }
    #expect(lines.count == 1)
    #expect(stage.delivered.contains { $0.recipient == "amina" })
  }

  @Test func `at most four of many changed zones are named`() {
    let update = ZoneUpdate(version: "x", zones: ["f", "a", "c", "b", "e", "d"])
    #expect(update.description.contains("for a, b, c, d and 2 more;"))
  }
}
