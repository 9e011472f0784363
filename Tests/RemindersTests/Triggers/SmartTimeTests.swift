import CivilTime
import JSON
import Reminders
import Testing

/// Rule M3: the hour with the recipient's most opens in the last 28 days.
@Suite struct SmartTimeTests {
  private static let catalog = Fixtures.catalog(
    groups: "notes: {enabled: true, time: \"08:00\", adapt: true}",
    reminders: ["note": "every: {day: {at: $time}}, smart: $adapt"])

  @Test func `M3: the declared time applies until five opens are known`() throws {
    try Diary.expect(
      """
      2026-03-01 09:00  created
      2026-03-01 19:10  opened
      2026-03-01 19:40  opened
      2026-03-02 08:00  > note
      2026-03-02 19:59  opened
      2026-03-02 22:00  opened
      2026-03-03 08:00  > note
      2026-03-03 19:00  opened
      2026-03-04 12:00  end
      2026-03-04 19:00  > note
      2026-03-05 19:00  > note
      2026-03-05 20:00  prefs {"reminders": {"notes": {"adapt": false}}}
      2026-03-06 08:00  > note
      2026-03-06 09:00  end
      """, catalog: Self.catalog)
  }

  @Test func `M3: today's opens move tomorrow's time`() throws {
    try Diary.expect(
      """
      2026-03-01 19:00  opened
      2026-03-01 19:01  opened
      2026-03-01 19:02  opened
      2026-03-01 19:03  opened
      2026-03-01 19:04  opened
      2026-03-02 10:00  opened
      2026-03-02 10:01  opened
      2026-03-02 10:02  opened
      2026-03-02 10:03  opened
      2026-03-02 10:04  opened
      2026-03-02 10:05  opened
      2026-03-02 19:00  > note
      2026-03-03 10:00  > note
      2026-03-03 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `M3: opens from more than 28 days before the date do not count`() throws {
    try Diary.expect(
      """
      2026-03-01 00:00  prefs {"reminders": {"notes": {"enabled": false}}}
      2026-03-01 19:00  opened
      2026-03-01 19:01  opened
      2026-03-01 19:02  opened
      2026-03-01 19:03  opened
      2026-03-01 19:04  opened
      2026-03-28 12:00  prefs {"reminders": {"notes": {"enabled": true}}}
      2026-03-28 19:00  > note
      2026-03-29 19:00  > note
      2026-03-30 08:00  > note
      2026-03-30 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `M3: the best hour outside quiet hours is chosen`() throws {
    try Diary.expect(
      """
      2026-03-01 00:00  quiet 22:00 07:00
      2026-03-01 08:00  > note
      2026-03-01 17:00  opened
      2026-03-01 17:01  opened
      2026-03-01 22:00  opened
      2026-03-01 22:01  opened
      2026-03-01 22:02  opened
      2026-03-02 17:00  > note
      2026-03-02 18:00  quiet 16:00 07:00
      2026-03-03 08:00  > note
      2026-03-03 09:00  quiet off
      2026-03-03 12:00  end
      2026-03-04 22:00  > note
      2026-03-04 23:00  end
      """, catalog: Self.catalog)
  }

  @Test func `M3: opens are counted by hours of the recipient's local time`() throws {
    try Diary.expect(
      """
      2026-03-01 00:00  zone Asia/Kathmandu
      2026-03-01 02:15  > note
      2026-03-01 13:15  opened
      2026-03-01 13:16  opened
      2026-03-01 13:17  opened
      2026-03-01 13:18  opened
      2026-03-01 14:14  opened
      # In New York, the opens were in the hours of 8:00 and 9:00.
      2026-03-02 13:15  > note
      2026-03-02 14:00  zone America/New_York
      2026-03-03 13:00  > note
      2026-03-03 14:00  end
      """, catalog: Self.catalog)
  }

  /// Two hours have equally many opens. The hour nearer to the declared time is chosen; of two
  /// equally near hours, the earlier hour.
  @Test(arguments: [(7, 20, 7), (6, 9, 9), (6, 10, 6), (0, 16, 0)])
  func `M3: the nearest of equally good hours is used`(hour: Int, otherHour: Int, chosenHour: Int)
    throws
  {
    var counts = [Int64](repeating: 0, count: 24)
    counts[hour] = 3
    counts[otherHour] = 3
    counts[8] = 1
    let declared = try #require(LocalTime("08:00"))
    let smart = SmartTime(counts, declared: declared) { _ in false }
    #expect(smart.time == LocalTime(hour: chosenHour, minute: 0))
  }

  /// The late opens make 10:00 the best hour, but arrive at noon, after 10:00 of that day.
  @Test func `E1: a late open does not remove the occurrence of a date`() throws {
    try Diary.expect(
      """
      2026-03-01 19:00  opened
      2026-03-01 19:01  opened
      2026-03-01 19:02  opened
      2026-03-01 19:03  opened
      2026-03-01 19:04  opened
      2026-03-02 12:00  opened @ 2026-03-01 10:00
      2026-03-02 12:00  opened @ 2026-03-01 10:01
      2026-03-02 12:00  opened @ 2026-03-01 10:02
      2026-03-02 12:00  opened @ 2026-03-01 10:03
      2026-03-02 12:00  opened @ 2026-03-01 10:04
      2026-03-02 12:00  opened @ 2026-03-01 10:05
      2026-03-02 12:30  restart
      2026-03-02 19:00  > note
      2026-03-03 10:00  > note
      2026-03-03 11:00  opened @ 2026-03-02 19:01
      2026-03-03 11:00  opened @ 2026-03-02 19:02
      2026-03-04 19:00  > note
      2026-03-04 20:00  end
      """, catalog: Self.catalog)
  }

  // MARK: - Explanations

  @Test(
    arguments: [
      (
        [19: 4],
        "smart: opened 4 times in 28 days, 5 are needed; "
          + "uses the declared 08:00"
      ),
      ([19: 7, 10: 4], "smart: opened most at 19:00, 7 of 11 in 28 days"),
      (
        [23: 7, 10: 3, 9: 1],
        "smart: opened most at 23:00, 7 of 11 in 28 days, which is quiet; "
          + "the next is 10:00, 3"
      ),
      (
        [23: 7, 22: 4],
        "smart: opened most at 23:00, 7 of 11 in 28 days, "
          + "but all hours with opens are quiet; uses the declared 08:00"
      ),
    ] as [([Int: Int64], String)])
  func `V8: the choice of an hour is explained`(opens: [Int: Int64], words: String) throws {
    let counts = (0..<24).map { opens[$0] ?? 0 }
    let smart = SmartTime(counts, declared: try #require(LocalTime("08:00"))) { $0.hour >= 22 }
    #expect(smart.words == words)
  }

  @Test func `V8: a pending occurrence is explained with its hour`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-01 09:00"))
    for minute in 0..<6 {
      player.advance(to: try utc("2026-03-01 19:00") + .minutes(minute))
      try player.take("notification.opened", ["notification": "n"])
    }
    func timing() throws -> String? {
      try player.recipient.explain(
        .pending(reminder: "note"), now: player.now, planner: player.planner
      ).first?.timing
    }
    #expect(try timing() == "smart: opened most at 19:00, 6 of 6 in 28 days")
    try player.take("preferences.updated", ["reminders": ["notes": ["adapt": false]]])
    #expect(try timing() == nil)
  }

  // MARK: - The event notification.opened

  @Test(
    arguments: [
      ([:], "data.notification is missing"),
      (
        ["notification": 3],
        "data.notification must be a text of 1 to 256 bytes without control characters"
      ),
      (
        ["notification": "a", "reminder": ""],
        "data.reminder must be a text of 1 to 256 bytes without control characters"
      ),
      (
        ["notification": "a", "categry": "NOTE"],
        "data.categry is not known; did you mean \"category\"?; "
          + "notification.opened carries notification, reminder, category, action"
      ),
    ] as [(JSONValue, String)])
  func `E2: the refusal of an open event names the fault`(data: JSONValue, message: String) throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-01 09:00"))
    let refusal = #expect(throws: Refusal.self) {
      try player.take("notification.opened", data)
    }
    #expect(refusal?.description == message)
    try player.take(
      "notification.opened", ["notification": "a", "reminder": "note", "category": "GONE"])
    #expect(!player.recipient.facts.opens.isEmpty)
  }
}
