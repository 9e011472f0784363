import CivilTime
import JSON
import Reminders
import Testing

/// Rule P9: quiet hours with several windows. 2026-03-02 is a Monday.
@Suite struct QuietWindowTests {
  private static let requestLine = #"say {"category": "NOTE", "title": "one", "body": "b"}"#

  /// Returns the event of a diary that sets quiet hours from 22:00 to 07:00 with further windows.
  private static func windows(_ list: String) -> String {
    #"prefs {"quietHours": {"enabled": true, "start": "22:00", "end": "07:00", "windows": "#
      + list + "}}"
  }

  @Test func `P9: each window holds occurrences`() throws {
    let windows = Self.windows(#"[{"start": "13:00", "end": "15:00"}]"#)
    try Diary.expect(
      """
      2026-03-02 08:00  off notes
      2026-03-02 08:00  \(windows)
      2026-03-02 12:59  \(Self.requestLine)
      2026-03-02 12:59  > notification.requested
      2026-03-02 13:00  \(Self.requestLine)
      2026-03-02 15:00  > notification.requested of 2026-03-02 13:00 (quiet_hours)
      2026-03-02 23:00  \(Self.requestLine)
      2026-03-03 07:00  > notification.requested of 2026-03-02 23:00 (quiet_hours)
      2026-03-03 08:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "normal"))
  }

  /// The window from Saturday to Sunday ends at 07:00, within Sunday's window of the whole day.
  @Test func `P9: an occurrence is held through a whole day and the night after it`() throws {
    let windows = Self.windows(#"[{"days": ["sun"], "start": "00:00", "end": "24:00"}]"#)
    try Diary.expect(
      """
      2026-03-07 08:00  off notes
      2026-03-07 08:00  \(windows)
      2026-03-07 23:00  say {"category": "NOTE", "title": "one", "body": "b", "expires": "3d"}
      2026-03-09 07:00  > notification.requested of 2026-03-07 23:00 (quiet_hours)
      2026-03-09 08:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "normal"))
  }

  @Test func `P9: a window of a whole day has the length of its date`() throws {
    let zone = try Fixtures.zone("Europe/Berlin")
    let window = QuietWindow(start: .midnight, endMinute: 1_440, days: 0b100_0000)
    let hours = QuietHours(isEnabled: true, start: .midnight, end: .midnight, others: [window])
    let (spring, autumn) = (try #require(LocalDate("2026-03-29")), LocalDate("2026-10-25"))
    for (date, length) in [(spring, 23), (try #require(autumn), 25)] {
      let spans = hours.windows(from: date, through: date, in: zone)
      #expect(spans.map { $0.upperBound - $0.lowerBound } == [.hours(length)])
      let start = try #require(spans.first).lowerBound
      #expect(start == zone.instant(of: date, at: .midnight))
      #expect(hours.windowEnd(at: start - .milliseconds(1), in: zone) == nil)
      #expect(hours.windowEnd(at: start, in: zone) == start + .hours(length))
      #expect(hours.windowEnd(at: start + .hours(length), in: zone) == nil)
    }
  }

  @Test func `V9: the recipient's day starts at the latest end of a window before noon`() throws {
    let windows = Self.windows(#"[{"days": ["sat"], "start": "23:00", "end": "10:00"}]"#)
    try Diary.expect(
      """
      2026-03-02 07:00  off notes
      2026-03-02 07:00  \(windows)
      2026-03-02 07:00  vacation 2026-03-07
      2026-03-07 12:00  say {"category": "NOTE", "title": "one", "body": "b", "expires": "3d"}
      2026-03-08 10:00  > notification.requested of 2026-03-07 12:00 (vacation)
      2026-03-08 12:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "normal"))
  }

  @Test func `P9: a write with windows replaces them, and a write without windows keeps them`()
    throws
  {
    var user = try FormUser(FormFixtures.planner())
    let night: JSONValue = ["days": ["mon"], "start": "22:30", "end": "24:00"]
    let noon: JSONValue = ["start": "13:00", "end": "14:00"]
    let windowsPath = "quietHours.windows"
    try user.write(["quietHours": ["windows": [night, noon]]], as: .own)
    let days: JSONValue = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    #expect(
      try user.document(.own).value(at: windowsPath) == [
        night, ["days": days, "start": "13:00", "end": "14:00"],
      ])
    try user.write(["quietHours": ["start": "20:00"]], as: .own)
    try user.write(["dnd": ["enabled": true, "endTime": "06:00"]], as: .urbannest)
    #expect(try user.document(.own).value(at: windowsPath)?.arrayValue?.count == 2)
    #expect(try user.document(.urbannest).value(at: "dnd.startTime") == "20:00")
    let export = PreferencesExport(user.context).document
    try user.write(["quietHours": ["windows": [night]]], as: .own)
    #expect(try user.document(.own).value(at: windowsPath) == [night])
    try user.take(PreferencesExport(user.context).resetChanges)
    #expect(try user.document(.own).value(at: windowsPath) == [])
    try user.take(PreferencesExport(user.context).changes(importing: export))
    #expect(try user.document(.own).value(at: windowsPath)?.arrayValue?.count == 2)
  }

  private static let invalidWindows: [(window: JSONValue, path: String)] = [
    (["start": "13:00", "end": "13:00"], "windows[0]"),
    (["start": "13:00"], "windows[0].end"), (["end": "13:00"], "windows[0].start"),
    (["start": "24:00", "end": "13:00"], "windows[0].start"),
    (["start": "00:00", "end": "24:01"], "windows[0].end"),
    (["start": "00:00", "end": "24:00", "days": []], "windows[0].days"),
    (["start": "00:00", "end": "24:00", "day": "mon"], "windows[0].day"),
    ("13:00", "windows[0]"),
  ]

  @Test(arguments: Self.invalidWindows)
  func `P9: an invalid window is refused with the path of its fault`(
    window: JSONValue, path: String
  ) throws {
    var user = try FormUser(FormFixtures.planner())
    let documentBefore = try user.document(.own)
    let refusal = #expect(throws: Refusal.self) {
      try user.write(["quietHours": ["windows": [window]]], as: .own)
    }
    #expect(refusal?.path == "quietHours." + path)
    #expect(try user.document(.own) == documentBefore)
  }

  @Test func `P9: there are at most eight further windows`() throws {
    var user = try FormUser(FormFixtures.planner())
    let windows = (1...9).map { hour -> JSONValue in
      ["start": .string("0\(hour):00"), "end": .string("0\(hour):30")]
    }
    try user.write(["quietHours": ["windows": .array(Array(windows.dropLast()))]], as: .own)
    #expect(throws: Refusal.self) {
      try user.write(["quietHours": ["windows": .array(windows)]], as: .own)
    }
  }
}
