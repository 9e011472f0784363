import CivilTime
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rules T4 and T9: a zone that the system has lost is never silently replaced by another zone.
@Suite struct LostZoneTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Fixtures.read(Fixtures.noteCatalog(at: "09:00"))
    for name in ["Asia", "Etc"] { try directory.makeDirectory(name) }
    try copy("Etc/UTC")
    try copy("Asia/Kolkata")
    try copy("Asia/Kolkata", to: "Asia/Calcutta")
    try copy("Asia/Kathmandu")
  }

  private func copy(_ name: String, to other: String? = nil) throws {
    let content = try Data(
      contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/" + name))
    try directory.write([UInt8](content), to: other ?? name)
  }

  private func planner(after planner: Planner? = nil) throws -> Planner {
    let zones = try ZoneDatabase(
      directory: directory.path, generation: 1,
      lastKnown: planner?.zones.archive ?? ZoneArchive())
    return Planner(catalog: catalog, zones: zones, defaultZone: try zones.zone(named: "Etc/UTC"))
  }

  /// Returns a recipient in a zone, on the evening before the first reminder.
  private func player(in zone: String, _ planner: Planner) throws -> Player {
    let now = try utc("2026-03-02 12:00")
    var player = Player(planner: planner, now: now)
    try player.take("recipient.updated", ["timezone": .string(zone)], at: now)
    return player
  }

  private func warning(of player: Player) throws -> String? {
    try player.recipient.explain(
      .pending(reminder: "note"), now: player.now, planner: player.planner
    ).first?.warning
  }

  @Test func `T9: a zone that moves to tzdata-legacy keeps reminder times`() throws {
    var player = try player(in: "Asia/Calcutta", try planner())
    try FileManager.default.removeItem(atPath: directory.path + "/Asia/Calcutta")
    player.change(to: try planner())
    #expect(try warning(of: player) == nil)
    player.advance(to: try utc("2026-03-03 12:00"))
    #expect(player.entries.map(\.at) == [try utc("2026-03-03 03:30")])
  }

  @Test func `T9: a lost zone keeps its last known rules, and an explanation states that`() throws {
    let formerPlanner = try planner()
    var player = try player(in: "Asia/Kathmandu", formerPlanner)
    try FileManager.default.removeItem(atPath: directory.path + "/Asia/Kathmandu")
    player.change(to: try planner(after: formerPlanner))
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    #expect(!context.isZoneDefault && context.zone.name == "Asia/Kathmandu")
    let warning = try #require(try warning(of: player))
    #expect(warning.contains("no zone \"Asia/Kathmandu\", and its last known rules apply"))
    player.advance(to: try utc("2026-03-03 12:00"))
    #expect(player.entries.map(\.at) == [try utc("2026-03-03 03:15")])
  }

  @Test func `T9: a lost zone without known rules is explained as the default zone`() throws {
    var player = try player(in: "Asia/Kathmandu", try planner())
    try FileManager.default.removeItem(atPath: directory.path + "/Asia/Kathmandu")
    player.change(to: try planner())
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    #expect(context.isZoneDefault && context.zone.name == "Etc/UTC")
    let warning = try #require(try warning(of: player))
    #expect(warning.contains("no zone \"Asia/Kathmandu\", and the default zone applies"))
    #expect(context.zoneFault?.hasLastKnownRules == false)
  }
}
