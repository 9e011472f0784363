import CivilTime
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule T5: changed rules of a plan's own zone lose no dose. The recipient is in another zone.
@Suite struct PlanZoneTests {
  private static let catalog = Fixtures.catalog(
    events: "{planned: {medicine: identifier, schedule: plan}}",
    reminders: ["dose": "every: {plan: schedule}, since: planned"])

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let content = try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/Etc/UTC"))
    try directory.write([UInt8](content), to: "UTC")
  }

  /// Returns a planner whose zone "City" has the rules of another zone.
  private func planner(_ city: String, generation: Int) throws -> Planner {
    let content = try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory + "/" + city))
    try directory.write([UInt8](content), to: "City")
    let zones = try ZoneDatabase(directory: directory.path, generation: generation)
    return Planner(
      catalog: try Fixtures.read(Self.catalog), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }

  private func player(_ planner: Planner) throws -> Player {
    var player = Player(planner: planner, now: try utc("2026-03-02 06:00"))
    try player.take(
      "planned", ["medicine": "iron", "schedule": ["times": ["12:00"], "zone": "City"]])
    return player
  }

  @Test func `T5: a dose moved to just before now is sent at once, and only once`() throws {
    var player = try player(planner("Etc/GMT-1", generation: 1))
    player.advance(to: try utc("2026-03-02 10:30"))
    #expect(player.entries.isEmpty)
    player.change(to: try planner("Etc/GMT-2", generation: 2))
    player.advance(to: try utc("2026-03-03 09:59"))
    #expect(player.entries.map(\.at) == [try utc("2026-03-02 10:30")])
    #expect(player.entries.map(\.planned) == [try utc("2026-03-02 10:00")])
    player.change(to: try planner("Etc/GMT-1", generation: 3))
    player.advance(to: try utc("2026-03-03 12:00"))
    #expect(player.entries.map(\.at).suffix(1) == [try utc("2026-03-03 11:00")])
    #expect(player.entries.count == 2)
  }

  @Test func `T5: a dose that was sent is not sent again when its zone's rules move it`() throws {
    var player = try player(planner("Etc/GMT-2", generation: 1))
    player.advance(to: try utc("2026-03-02 10:30"))
    player.change(to: try planner("Etc/GMT-1", generation: 2))
    player.advance(to: try utc("2026-03-03 10:00"))
    #expect(player.entries.map(\.at) == [try utc("2026-03-02 10:00")])
  }
}
