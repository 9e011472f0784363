import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule T5: changed rules of a zone lose no calendar occurrence that has not fired. The tests
/// change the default zone, which changes the rules of recipients without a zone.
@Suite struct ZoneChangeTests {
  private let zones: ZoneDatabase
  private let start: Instant

  init() throws {
    zones = try Fixtures.zones.get()
    start = try utc("2026-03-02 12:00")
  }

  private func planner(_ zone: String, _ catalog: String) throws -> Planner {
    Planner(
      catalog: try Fixtures.read(catalog), zones: zones,
      defaultZone: try zones.zone(named: zone))
  }

  private func player(_ zone: String, _ catalog: String) throws -> Player {
    var player = Player(planner: try planner(zone, catalog), now: start)
    try player.take("recipient.updated", ["locale": "en"], at: start)
    return player
  }

  /// Advances the clock, and then changes the rules.
  private func change(
    _ player: inout Player, at time: String, to zone: String, _ catalog: String
  ) throws {
    player.advance(to: try utc(time))
    player.change(to: try planner(zone, catalog))
    player.advance(to: try utc(time))
  }

  private func outcomes(_ player: Player) -> [String] {
    player.entries.map { "\($0.at) \($0.planned) \($0.outcome.name)" }
  }

  @Test func `T5: a reminder moved to just before now is sent at once, and only once`() throws {
    let catalog = Fixtures.noteCatalog(at: "09:00")
    var player = try player("Etc/GMT-1", catalog)
    try change(&player, at: "2026-03-03 07:05", to: "Etc/GMT-2", catalog)
    try change(&player, at: "2026-03-03 07:06", to: "Etc/GMT-1", catalog)
    try change(&player, at: "2026-03-03 08:30", to: "Etc/GMT-2", catalog)
    player.advance(to: try utc("2026-03-04 12:00"))
    #expect(
      outcomes(player) == [
        "2026-03-03T07:05:00.000Z 2026-03-03T07:00:00.000Z delivered",
        "2026-03-04T07:00:00.000Z 2026-03-04T07:00:00.000Z delivered",
      ])
  }

  @Test func `T5: changed rules do not repeat a delivered reminder`() throws {
    let catalog = Fixtures.noteCatalog(at: "09:00")
    var player = try player("Etc/GMT-2", catalog)
    try change(&player, at: "2026-03-03 07:00", to: "Etc/GMT-1", catalog)
    try change(&player, at: "2026-03-03 07:30", to: "Etc/GMT-2", catalog)
    player.advance(to: try utc("2026-03-04 06:59"))
    #expect(
      outcomes(player) == ["2026-03-03T07:00:00.000Z 2026-03-03T07:00:00.000Z delivered"])
  }

  @Test func `T5: a reminder that changed rules make too late is not sent`() throws {
    let catalog = Fixtures.noteCatalog(at: "09:00", expires: "30m")
    var player = try player("Etc/GMT-1", catalog)
    try change(&player, at: "2026-03-03 07:31", to: "Etc/GMT-2", catalog)
    player.advance(to: try utc("2026-03-04 06:59"))
    #expect(player.entries.isEmpty)
  }

  @Test func `T5: only the latest of several times moved into the past is sent`() throws {
    let catalog = Fixtures.catalog(reminders: [
      "note": "every: {day: {at: [\"08:00\", \"12:00\", \"16:00\"]}}"
    ])
    var player = try player("Etc/GMT+5", catalog)
    try change(&player, at: "2026-03-03 11:00", to: "Etc/GMT-4", catalog)
    #expect(
      outcomes(player).suffix(2) == [
        "2026-03-03T11:00:00.000Z 2026-03-03T04:00:00.000Z dropped",
        "2026-03-03T11:00:00.000Z 2026-03-03T08:00:00.000Z delivered",
      ])
    #expect(player.entries.dropLast().last?.reasons == ["missed"])
  }

  @Test func `T5: no reminder is sent for a time before the recipient existed`() throws {
    let catalog = Fixtures.noteCatalog(at: "13:30")
    var player = try player("Etc/GMT+1", catalog)
    try change(&player, at: "2026-03-02 12:30", to: "Etc/GMT-2", catalog)
    player.advance(to: try utc("2026-03-03 11:29"))
    #expect(player.entries.isEmpty)
  }

  @Test func `T5: a reminder whose time is set to before now is sent on the next date`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  off lesson
      2026-03-02 12:00  zone Europe/Berlin
      2026-03-02 20:00  > daily-checkin-reminder
      2026-03-03 12:00  set checkin 09:00
      2026-03-04 08:00  > daily-checkin-reminder
      2026-03-04 12:00  end
      """)
  }

  @Test(arguments: Seeds.all)
  func `T5: each date has one occurrence under any rules`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let catalog = Fixtures.noteCatalog(at: "12:00", expires: "30h")
    var player = try player("Europe/Berlin", catalog)
    var now = start
    for _ in 0..<200 {
      now += .minutes(Int.random(in: 1...1_500, using: &random))
      player.advance(to: now)
      let name = zones.names.randomElement(using: &random) ?? "UTC"
      player.change(to: try planner(name, catalog))
      player.advance(to: now)
    }
    let dates = player.entries.map(\.key)
    let first = try #require(dates.first)
    #expect(
      dates.count > 50 && dates == (0..<dates.count).map { first + Int64($0) }, "seed \(seed)")
  }
}
