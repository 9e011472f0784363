import CivilTime
import Holidays
import JSON
import Reminders
import Testing

/// The calendar gate of rule V1: rest days, weekends and holidays by the planned local date.
@Suite struct CalendarGateTests {
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, channels: {push: true}}
      ALARM: {title: Alarms, urgency: critical, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "12:00", restDays: {days: []}, skipWeekends: false}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        skip: {weekends: $skipWeekends, days: $restDays}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  @Test func `V1: a repeating occurrence is dropped on a rest day`() throws {
    try Diary.expect(
      """
      2026-03-05 13:00  prefs {"reminders": {"notes": {"restDays": ["fri"], "skipWeekends": true}}}
      2026-03-06 12:00  x note (calendar)
      2026-03-07 12:00  x note (calendar)
      2026-03-08 12:00  x note (calendar)
      2026-03-09 12:00  > note
      2026-03-09 13:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V1: a single occurrence waits for the next working date`() throws {
    try Diary.expect(
      """
      2026-03-05 13:00  prefs {"calendar": {"skipWeekends": true}, "bundling": {"threshold": 0}}
      2026-03-06 11:00  off notes
      2026-03-07 10:00  \(Self.request("NOTE", expires: "3d"))
      2026-03-07 10:01  \(Self.request("NOTE", expires: "1d"))
      2026-03-07 10:01  x notification.requested (calendar, expired)
      2026-03-07 10:02  \(Self.request("ALARM", expires: "1d"))
      2026-03-07 10:02  > notification.requested
      2026-03-09 08:00  > notification.requested of 2026-03-07 10:00 (calendar)
      2026-03-09 13:00  end
      """, catalog: Self.catalog)
  }

  /// The planned local date counts: Saturday in London can be Sunday in Tokyo.
  @Test func `V1: the planned date is the recipient's local date`() throws {
    try Diary.expect(
      """
      2026-03-06 13:00  zone Asia/Tokyo
      2026-03-06 13:00  prefs {"calendar": {"skipWeekends": true, "weekend": ["sun"]}}
      2026-03-07 03:00  > note
      2026-03-08 03:00  x note (calendar)
      2026-03-09 03:00  > note
      2026-03-09 13:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V1: an occurrence is dropped only on a holiday of the recipient's region`() throws {
    let holidays = try HolidayDatabase(files: [
      CalendarFile(path: "DE.ics", content: Array(Self.calendar.utf8)),
      CalendarFile(path: "FR.ics", content: Array(Self.empty.utf8)),
    ])
    let zones = try Fixtures.zones.get()
    let planner = Planner(
      catalog: try Fixtures.read(Self.catalog), zones: zones,
      defaultZone: try zones.zone(named: "UTC"), holidays: holidays)
    let expected: [(String, Outcome)] = [("DE", .dropped), ("FR", .delivered)]
    for (region, outcome) in expected {
      var player = Player(planner: planner, now: try utc("2026-10-02 13:00"))
      try player.take("recipient.updated", ["holidays": .string(region)])
      try player.take("preferences.updated", ["calendar": ["skipHolidays": true]])
      player.advance(to: try utc("2026-10-03 13:00"))
      #expect(player.entries.map(\.outcome) == [outcome], "\(region)")
    }
    var player = Player(planner: planner, now: try utc("2026-10-02 13:00"))
    #expect(throws: Refusal.self) { try player.take("recipient.updated", ["holidays": "XX"]) }
  }

  /// Returns the event of a diary that requests a notification.
  private static func request(_ category: String, expires: String) -> String {
    let members = "\"category\": \"\(category)\", \"title\": \"t\", \"body\": \"b\""
    return "say {\(members), \"expires\": \"\(expires)\"}"
  }

  private static let calendar = """
    BEGIN:VCALENDAR\r
    BEGIN:VEVENT\r
    SUMMARY:Unity\r
    DTSTART;VALUE=DATE:20241003\r
    RRULE:FREQ=YEARLY\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

  private static let empty = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
}
