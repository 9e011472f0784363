import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule N4: commands about a later date of a series. The key of 2026-03-02 is 20,514.
@Suite struct LaterDateTests {
  private static func command(_ type: String, _ key: Int64, _ more: String = "") -> String {
    "event pending.\(type) {\"reminder\": \"daily-checkin-reminder\", "
      + "\"occurrence\": \"\(key)\"\(more)}"
  }

  @Test func `N4: a later date is cancelled by its id, and no other date`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  \(Self.command("cancelled", 20_515))
      2026-03-02 10:30  restart
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test func `N4: a later date is resumed, and follows the zone as before`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  \(Self.command("cancelled", 20_515))
      2026-03-02 10:00  \(Self.command("cancelled", 20_516))
      2026-03-02 11:00  \(Self.command("resumed", 20_516))
      2026-03-02 12:00  zone America/New_York
      2026-03-03 02:00  > daily-checkin-reminder
      2026-03-05 02:00  > daily-checkin-reminder
      2026-03-05 03:00  end
      """)
  }

  @Test func `N4: a snooze moves a later date, and a name means the earliest date`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  \(Self.command("snoozed", 20_516, #", "for": "2h""#))
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 10:00  cancel daily-checkin-reminder
      2026-03-04 23:00  > daily-checkin-reminder
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-05 22:00  end
      """)
  }

  @Test(arguments: [20_513, 20_515, 20_881, -1, .max] as [Int64])
  func `N4: a date that is past, cancelled or more than a year ahead is refused`(key: Int64) throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  \(Self.command("cancelled", 20_515))
      2026-03-02 10:00  \(Self.command("cancelled", key))
      2026-03-02 10:00  ! data.occurrence \(key) is not pending; other occurrences of the reminder \
      are pending
      2026-03-02 11:00  end
      """)
  }

  @Test func `N4: a date that the reminder does not select is refused`() throws {
    let catalog = Fixtures.catalog(
      events: "{taken: {}}", reminders: ["pill": "every: {week: {on: [mon, thu], at: '08:00'}}"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    try player.take("taken")
    let next = try #require(
      player.recipient.pending(now: player.now, planner: player.planner).first)
    func cancel(_ key: Int64) throws {
      try player.take("pending.cancelled", ["reminder": "pill", "occurrence": .string("\(key)")])
    }
    #expect(throws: Refusal.self) { try cancel(next.key + 3) }
    try cancel(next.key + 4)
    player.advance(to: player.now + .days(10))
    #expect(player.entries.map(\.key) == [next.key, next.key + 7])
  }

  @Test func `T14: a cancelled later date has no repetitions`() throws {
    let catalog = Fixtures.catalog(
      events: "{taken: {}}",
      reminders: [
        "pill": """
        every: {day: {at: "08:00"}}, unless: taken, again: {every: 30m, times: 2}, expires: 4h
        """
      ])
    try Diary.expect(
      """
      2026-03-02 06:00  event taken
      2026-03-02 07:00  event pending.cancelled {"reminder": "pill", "occurrence": "20515"}
      2026-03-04 08:00  > pill
      2026-03-04 08:30  > pill+1
      2026-03-04 08:40  event taken
      2026-03-04 12:00  end
      """, catalog: catalog)
  }

  // MARK: - Plans

  private static let plans = Fixtures.catalog(
    events: "{planned: {medicine: identifier, schedule: plan?}, taken: {medicine: identifier}}",
    groups: "notes: {enabled: true, times: [\"09:00\"]}",
    reminders: ["dose": "every: {plan: schedule, at: $times}, since: planned, unless: taken"])

  /// Returns a player with two medicines each morning, and the keys of the first one's doses.
  private static func medicines() throws -> (player: Player, keys: [Int64]) {
    var player = Player(
      planner: try Fixtures.planner(catalog: plans), now: try utc("2026-03-02 06:00"))
    for (name, time) in [("iron", "08:00"), ("zinc", "09:00")] {
      try player.take(
        "planned", ["medicine": .string(name), "schedule": ["times": [.string(time)]]])
    }
    let firings = player.recipient.simulatedFirings(
      from: player.now, through: player.now + .days(4), planner: player.planner)
    let start = try utc("2026-03-02 08:00")
    let keys = (0..<4).compactMap { day in
      firings.first { $0.planned == start + .days(day) }?.key
    }
    return (player, keys)
  }

  private static func instants(_ player: Player) -> [String] {
    player.entries.map { DiaryLine.format($0.at) }
  }

  @Test func `N4: a later dose is cancelled, and the other medicine stays`() throws {
    var (player, keys) = try Self.medicines()
    try player.take("pending.cancelled", ["reminder": "dose", "occurrence": .string("\(keys[1])")])
    try player.restart()
    player.advance(to: try utc("2026-03-04 12:00"))
    #expect(
      Self.instants(player) == [
        "2026-03-02 08:00", "2026-03-02 09:00", "2026-03-03 09:00", "2026-03-04 08:00",
        "2026-03-04 09:00",
      ])
  }

  @Test func `N4: a resumed later dose follows the recipient's zone`() throws {
    var (player, keys) = try Self.medicines()
    let dose: JSONValue = ["reminder": "dose", "occurrence": .string("\(keys[2])")]
    try player.take("pending.cancelled", dose)
    #expect(
      player.recipient.cancelled(now: player.now, planner: player.planner).map(\.key) == [keys[2]])
    try player.take("pending.resumed", dose)
    try player.take("recipient.updated", ["timezone": "Europe/Berlin"])
    player.advance(to: try utc("2026-03-04 12:00"))
    #expect(
      Self.instants(player) == [
        "2026-03-02 07:00", "2026-03-02 08:00", "2026-03-03 07:00", "2026-03-03 08:00",
        "2026-03-04 07:00", "2026-03-04 08:00",
      ])
  }
}
