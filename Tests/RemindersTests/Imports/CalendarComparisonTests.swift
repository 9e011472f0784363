import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule E14: the recipient's facts decide which components of a calendar are reported.
@Suite struct CalendarComparisonTests {
  private static let daily = "DTSTART:20260302T090000\nRRULE:FREQ=DAILY"

  private func player() throws -> Player {
    Player(planner: try CalendarSample.planner.get(), now: try utc("2026-03-01 12:00"))
  }

  private func imported(
    _ player: Player, _ lines: String, summary: String = "Iron"
  ) throws -> CalendarImport {
    let result = try CalendarSample.imported(
      CalendarSample.file(lines, summary: summary), recipient: player.recipient, now: player.now)
    #expect(result.flaws == [])
    return result
  }

  private func comparison(
    _ player: Player, _ lines: String = daily, summary: String = "Iron"
  ) throws -> CalendarComparison? {
    try imported(player, lines, summary: summary).comparisons(
      with: player.recipient, now: player.now, planner: player.planner
    ).first
  }

  /// Reports the component of a file.
  private func report(_ player: inout Player, _ lines: String = daily) throws {
    let data = try #require(try imported(player, lines).entries.first?.document["data"])
    try player.take("planned", data)
  }

  @Test func `E14: a reported component is known, and another content is a change`() throws {
    var player = try player()
    #expect(try comparison(player) == .new)
    try report(&player)
    player.advance(to: try utc("2026-03-05 12:00"))
    try player.restart()
    #expect(try comparison(player) == .known)
    #expect(try comparison(player, Self.daily + "\nSEQUENCE:2\nLAST-MODIFIED:x") == .known)
    #expect(try comparison(player, summary: "Zinc") == .changed)
    #expect(try comparison(player, "DTSTART:20260302T100000\nRRULE:FREQ=DAILY") == .changed)
    #expect(try comparison(player, Self.daily + ";COUNT=2") == .changed)
  }

  @Test func `E14: an ended plan stays ended until it begins on another date`() throws {
    var player = try player()
    try report(&player)
    player.advance(to: try utc("2026-03-20 12:00"))
    try player.take("ended", ["medicine": "a@b"])
    #expect(try comparison(player) == .ended)
    #expect(try comparison(player, Self.daily + "\nSEQUENCE:2") == .ended)
    #expect(try comparison(player, summary: "Zinc") == .ended)
    #expect(try comparison(player, "DTSTART:20260302T100000\nRRULE:FREQ=DAILY") == .ended)
    #expect(try comparison(player, "DTSTART:20260319T090000\nRRULE:FREQ=DAILY") == .ended)
    #expect(try comparison(player, "DTSTART:20260320T130000\nRRULE:FREQ=DAILY") == .changed)
    try player.take("planned", ["medicine": "a@b", "name": "Iron"])
    #expect(try comparison(player) == .changed)
  }

  @Test func `E14: a plan that was ended before it begins stays ended`() throws {
    var player = try player()
    try report(&player)
    try player.take("ended", ["medicine": "a@b"])
    #expect(try comparison(player, "DTSTART:20260302T100000\nRRULE:FREQ=DAILY") == .ended)
    #expect(try comparison(player, "DTSTART:20260303T090000\nRRULE:FREQ=DAILY") == .changed)
  }

  @Test func `E14: a series that the recipient ended stays ended, and a resumed one is known`()
    throws
  {
    var player = try player()
    try report(&player)
    player.advance(to: try utc("2026-03-05 12:00"))
    let key = try #require(player.entries.last?.key)
    let series: JSONValue = ["reminder": "dose", "series": true, "occurrence": .string("\(key)")]
    try player.take("pending.cancelled", series)
    #expect(try comparison(player) == .ended)
    #expect(try comparison(player, summary: "Zinc") == .ended)
    try player.take("pending.resumed", series)
    #expect(try comparison(player) == .known)
  }

  /// Entities are forgotten when later events arrive.
  @Test func `E14: the end of a plan is remembered until the last date of the plan`() throws {
    let course = "DTSTART:20260302T090000\nRRULE:FREQ=DAILY;UNTIL=20270301T090000"
    for lines in [Self.daily, course] {
      var player = try player()
      try report(&player, lines)
      try player.take("ended", ["medicine": "a@b"])
      player.advance(to: try utc("2027-02-28 12:00"))
      try player.take("ended", ["medicine": "other"])
      #expect(try comparison(player, lines) == .ended)
      player.advance(to: try utc("2027-06-01 12:00"))
      try player.take("ended", ["medicine": "other"])
      #expect(try comparison(player, lines) == (lines == course ? .past : .ended))
    }
  }

  @Test func `E14: an unknown component without a time to come is past`() throws {
    var player = try player()
    try player.take("recipient.updated", ["timezone": "America/New_York"])
    for (lines, expected) in [
      ("DTSTART:20260301T120000Z", CalendarComparison.past), ("DTSTART:20260301T120100Z", .new),
      // In New York it is 07:00.
      ("DTSTART:20260301T070000", .past), ("DTSTART:20260301T070100", .new),
      ("DTSTART:20260201T090000\nRRULE:FREQ=DAILY;UNTIL=20260228T235959", .past),
      ("DTSTART:20260201T090000\nRRULE:FREQ=DAILY;UNTIL=20260301T090000", .new),
    ] {
      #expect(try comparison(player, lines) == expected, "\(lines)")
    }
    try report(&player)
    #expect(try comparison(player, "DTSTART:20260228T090000") == .changed)
  }

  @Test func `E14: a content that returns has another id, and a repeated request has the same`()
    throws
  {
    var player = try player()
    func identifier(_ lines: String = Self.daily) throws -> String? {
      try imported(player, lines).entries.first?.event.identifier
    }
    let first = try identifier()
    #expect(try identifier() == first)
    try report(&player)
    player.advance(to: try utc("2026-03-03 12:00"))
    let later = "DTSTART:20260302T100000\nRRULE:FREQ=DAILY"
    #expect(try identifier(later) == identifier(later))
    try report(&player, later)
    #expect(try comparison(player) == .changed)
    #expect(try identifier() != first)
  }
}
