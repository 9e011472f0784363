import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule P11: a calendar date that several entities share.
@Suite struct SharedDateTests {
  /// Returns a recipient with courses, each of which is reminded of daily at 12:00. It is 09:00.
  private static func player(_ courses: String...) throws -> Player {
    let catalog = Fixtures.catalog(
      events: "{course: {course: identifier}}",
      reminders: ["day": "every: {day: {at: '12:00'}}, since: course"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    for name in courses { try player.take("course", ["course": .string(name)]) }
    return player
  }

  private static func set(_ items: JSONValue, _ player: inout Player) throws {
    try player.take("preferences.updated", ["reminders": ["notes": ["items": items]]])
  }

  private static func cancelSeries(_ player: inout Player) throws {
    let next = try #require(
      player.recipient.pending(now: player.now, planner: player.planner).first)
    try player.take(
      "pending.cancelled",
      ["reminder": "day", "occurrence": .string("\(next.key)"), "series": true])
  }

  private static func sent(_ player: Player) -> [String] {
    player.entries.map { $0.channels.channels.map(\.name).joined(separator: ",") }
  }

  @Test func `P11: a shared date has the channels of all of its entities`() throws {
    var player = try Self.player("a", "b")
    try Self.set(["a": ["channels": ["sms"]]], &player)
    player.advance(to: try utc("2026-03-03 13:00"))
    #expect(Self.sent(player) == ["push,sms"])
  }

  @Test func `P11: an entity whose series has ended adds no channel to that of another`() throws {
    var player = try Self.player("a")
    try Self.set(["a": ["channels": ["sms"]]], &player)
    try Self.cancelSeries(&player)
    try player.take("course", ["course": "b"])
    let explanations = try player.recipient.explain(
      .pending(reminder: "day"), now: player.now, planner: player.planner)
    #expect(explanations.map(\.entitySettings) == [nil])
    player.advance(to: try utc("2026-03-03 13:00"))
    #expect(Self.sent(player) == ["push"])
  }

  @Test func `P11: cancelling the series of a date leaves a muted entity`() throws {
    var player = try Self.player("a", "b")
    try Self.set(["a": ["enabled": false]], &player)
    try Self.cancelSeries(&player)
    player.advance(to: try utc("2026-03-03 13:00"))
    #expect(player.entries.isEmpty)
    try Self.set(["a": .null], &player)
    player.advance(to: try utc("2026-03-05 13:00"))
    #expect(player.entries.count == 2)
  }

  /// Cancels the next date.
  private static func cancelDate(_ player: inout Player) throws {
    let next = try #require(
      player.recipient.pending(now: player.now, planner: player.planner).first)
    try player.take(
      "pending.cancelled", ["reminder": "day", "occurrence": .string("\(next.key)")])
  }

  @Test func `G9: a cancelled date returns for an entity that is no longer muted`() throws {
    var player = try Self.player("a", "b")
    try Self.set(["b": ["enabled": false]], &player)
    try Self.cancelDate(&player)
    try Self.set(["a": ["channels": ["push"]]], &player)
    #expect(player.recipient.progress.cancelled.count == 1)
    try Self.set(["b": .null], &player)
    player.advance(to: try utc("2026-03-03 13:00"))
    #expect(player.entries.count == 1)
  }

  @Test func `G9: a cancelled date stays cancelled if its entity was muted meanwhile`() throws {
    var player = try Self.player("a")
    try Self.cancelDate(&player)
    try Self.set(["a": ["enabled": false]], &player)
    try Self.set(["a": .null], &player)
    player.advance(to: try utc("2026-03-03 13:00"))
    #expect(player.entries.isEmpty)
  }

  @Test func `P11: the end of the only series that is not muted can be taken back`() throws {
    var player = try Self.player("a", "b")
    try Self.set(["a": ["enabled": false]], &player)
    try player.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "11:00", "end": "14:00"]])
    player.advance(to: try utc("2026-03-03 13:00"))
    try Self.cancelSeries(&player)
    #expect(player.recipient.progress.cancelled.count == 1)
    let key = try #require(player.recipient.progress.cancelled.first).key
    try player.take(
      "pending.resumed", ["reminder": "day", "occurrence": .string("\(key)"), "series": true])
    player.advance(to: try utc("2026-03-03 14:30"))
    #expect(player.entries.map(\.key) == [key])
  }

  // MARK: - Naming the entities

  private static func command(
    _ player: Player, isSeries: Bool = false
  ) throws -> JSONValue {
    let next = try #require(
      player.recipient.pending(now: player.now, planner: player.planner).first)
    return [
      "reminder": "day", "occurrence": .string("\(next.key)"), "series": .bool(isSeries),
    ]
  }

  @Test func `G9: the answer to a cancelled date names the entities that shared it`() throws {
    let player = try Self.player("b", "a")
    #expect(
      try player.answer(to: "pending.cancelled", Self.command(player)).lines == [
        "cancelled day of a, b 2026-03-03 12:00 -> - [cancelled]"
      ])
  }

  @Test func `G9: the answer names an entity that leaves a date of others, or joins it`() throws {
    var player = try Self.player("a", "b")
    func answer(_ items: JSONValue) throws -> [String] {
      try player.answer(
        to: "preferences.updated", ["reminders": ["notes": ["items": items]]]
      ).lines
    }
    #expect(
      try answer(["a": ["enabled": false]]) == [
        "cancelled day of a 2026-03-03 12:00 -> - [switched_off]"
      ])
    try Self.set(["a": ["enabled": false]], &player)
    #expect(try answer(["a": .null]) == ["added day of a - -> 2026-03-03 12:00 []"])
  }

  @Test func `G9: views and the answer to a resumption name the entity of an ended series`() throws
  {
    var player = try Self.player("a")
    try Self.cancelSeries(&player)
    try player.take("course", ["course": "b"])
    let explanations = try player.recipient.explain(
      .pending(reminder: "day"), now: player.now, planner: player.planner)
    #expect(explanations.map(\.sharedDate) == [SharedDate(entities: ["b"], ended: ["a"])])
    let cancelled = player.recipient.cancelled(now: player.now, planner: player.planner)
    #expect(cancelled.map(\.sharedDate.entities) == [["a"]])
    let resumption = try Self.command(player, isSeries: true)
    #expect(
      try player.answer(to: "pending.resumed", resumption).lines == [
        "added day of a - -> 2026-03-03 12:00 []"
      ])
    #expect(
      try player.answer(to: "pending.cancelled", resumption).lines == [
        "cancelled day of b 2026-03-03 12:00 -> - [series_cancelled]"
      ])
  }

  @Test func `G9: a date that was cancelled alone names its entities, not those of ended series`()
    throws
  {
    var player = try Self.player("c")
    try Self.cancelSeries(&player)
    for name in ["a", "b"] { try player.take("course", ["course": .string(name)]) }
    try Self.cancelDate(&player)
    let cancelled = player.recipient.cancelled(now: player.now, planner: player.planner)
    #expect(cancelled.first { $0.key == 20_515 }?.sharedDate.entities == ["a", "b"])
  }
}
