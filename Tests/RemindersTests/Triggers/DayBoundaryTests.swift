import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G24: the local time at which a day begins for `unless`.
@Suite struct DayBoundaryTests {
  private static func catalog(_ trigger: String, begins: String = "\"04:00\"") -> String {
    Fixtures.catalog(
      events: "{done: {}, asked: {}}",
      groups: "notes: {enabled: true, begins: \"04:00\"}",
      reminders: ["ask": "\(trigger), unless: done, dayBegins: \(begins), expires: 12h"])
  }

  private static let daily = catalog("every: {day: {at: \"21:00\"}}")

  @Test func `G24: what happens after midnight belongs to the evening before`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-02 21:00  > ask
      2026-03-03 00:30  event done
      2026-03-03 21:00  > ask
      2026-03-04 04:00  event done
      2026-03-05 03:59  event done
      2026-03-05 21:00  > ask
      2026-03-06 00:00  end
      """, catalog: Self.daily)
  }

  @Test func `G24: without a declared time, a day begins at midnight`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-02 21:00  > ask
      2026-03-03 00:30  event done
      2026-03-04 21:00  > ask
      2026-03-05 00:00  end
      """, catalog: Self.daily.replacing(", dayBegins: \"04:00\"", with: ""))
  }

  @Test func `G24: a time before the beginning belongs to the day before`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-03 01:00  > ask
      2026-03-03 05:00  event done
      2026-03-05 01:00  > ask
      2026-03-05 03:00  event done
      2026-03-06 01:00  > ask
      2026-03-06 02:00  end
      """, catalog: Self.catalog("every: {day: {at: \"01:00\"}}"))
  }

  @Test func `G24: of several times, an event counts for the nearest, also across midnight`() throws
  {
    // The day begins at 04:00 and has the times 20:00 and 02:00; the middle is 23:00.
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-02 20:00  > ask
      2026-03-02 22:59  event done
      2026-03-03 02:00  > ask
      2026-03-03 20:00  > ask
      2026-03-03 23:00  event done
      2026-03-04 20:00  > ask
      2026-03-05 02:00  > ask
      2026-03-05 04:00  event done
      2026-03-06 02:00  > ask
      2026-03-06 03:00  end
      """, catalog: Self.catalog("every: {day: {at: [\"02:00\", \"20:00\"]}}"))
  }

  @Test func `G24: a time of a date that is not selected does not shorten the day`() throws {
    // Sunday has no 22:00, so all of Sunday counts for 01:00 of Monday.
    try Diary.expect(
      """
      2026-03-08 12:00  created
      2026-03-08 20:00  event done
      2026-03-09 22:00  > ask
      2026-03-10 00:00  end
      """, catalog: Self.catalog("every: {week: {on: [mon], at: [\"01:00\", \"22:00\"]}}"))
  }

  @Test func `G24: the time that smart chooses decides to which day a reminder belongs`() throws {
    try Diary.expect(
      """
      2026-03-02 01:00  opened
      2026-03-02 01:01  opened
      2026-03-02 01:02  opened
      2026-03-02 01:03  opened
      2026-03-02 01:04  opened
      2026-03-02 21:00  > ask
      2026-03-03 01:00  > ask
      2026-03-03 23:00  event done
      2026-03-05 01:00  > ask
      2026-03-05 02:00  end
      """, catalog: Self.catalog("every: {day: {at: \"21:00\"}}, smart: true"))
  }

  @Test func `G24: the recipient can set the time, which is not that of rule V9`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-02 21:00  > ask
      2026-03-03 03:30  event done
      2026-03-03 12:00  prefs {"dayStart": "03:00"}
      2026-03-03 21:00  > ask
      2026-03-04 03:30  event done
      2026-03-04 12:00  prefs {"reminders": {"notes": {"begins": "03:00"}}}
      2026-03-05 21:00  > ask
      2026-03-06 00:00  end
      """, catalog: Self.catalog("every: {day: {at: \"21:00\"}}", begins: "$begins"))
  }

  @Test func `G24: a reminder after an event asks about the day of its own instant`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  created
      2026-03-02 23:00  event done
      2026-03-02 23:30  event asked
      2026-03-03 03:30  event asked
      2026-03-03 05:30  > ask
      2026-03-03 06:00  end
      """, catalog: Self.catalog("on: {event: asked, delay: 2h}"))
  }

  // MARK: - An oracle

  /// Returns the day of an instant by the wall clock alone.
  private static func day(of instant: Instant, begin: LocalTime, in zone: Zone) -> LocalDate {
    let local = zone.local(at: instant)
    return local.time < begin ? local.date - 1 : local.date
  }

  @Test(arguments: Seeds.all)
  func `G24: a reminder is sent unless an event has the same day by the wall clock`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
    for name in zones {
      let begin = LocalTime(minuteOfDay: 15 * Int.random(in: 13...40, using: &random))
      let time = LocalTime(minuteOfDay: 15 * Int.random(in: 20...95, using: &random))
      let (start, end) = (try utc("2026-03-20 12:00"), try utc("2026-04-12 12:00"))
      let instants = (0..<30).map { _ in
        start + .minutes(Int.random(in: 0..<23 * 1_440, using: &random))
      }.sorted()
      let found = try Self.sent(
        at: try #require(time), begin: try #require(begin), name, instants, from: start, to: end)
      let expected = Self.expected(
        at: try #require(time), begin: try #require(begin), in: try Fixtures.zone(name), instants,
        from: start, to: end)
      #expect(found == expected, "\(name), seed \(seed)")
    }
  }

  private static func sent(
    at time: LocalTime, begin: LocalTime, _ zone: String, _ instants: [Instant],
    from start: Instant, to end: Instant
  ) throws -> [Instant] {
    let text = catalog("every: {day: {at: \"\(time)\"}}", begins: "\"\(begin)\"")
      .replacing("expires: 12h", with: "expires: 1m")
    var player = Player(planner: try Fixtures.planner(catalog: text), now: start)
    try player.take("recipient.updated", ["timezone": .string(zone)])
    for instant in instants {
      player.advance(to: instant)
      try player.take("done")
    }
    player.advance(to: end)
    return player.entries.filter { $0.outcome == .delivered }.map(\.at)
  }

  private static func expected(
    at time: LocalTime, begin: LocalTime, in zone: Zone, _ instants: [Instant],
    from start: Instant, to end: Instant
  ) -> [Instant] {
    let first = zone.date(at: start)
    return (0...24).map { zone.instant(of: first + $0, at: time) }
      .filter { $0 > start && $0 <= end }
      .filter { planned in
        let day = day(of: planned, begin: begin, in: zone)
        return !instants.contains {
          $0 < planned && self.day(of: $0, begin: begin, in: zone) == day
        }
      }
  }

  @Test func `G11: dayBegins needs unless`() {
    let text = Self.daily.replacing("unless: done, ", with: "")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error.map { "\($0)".contains("\"dayBegins\" needs \"unless\"") } == true)
  }
}
