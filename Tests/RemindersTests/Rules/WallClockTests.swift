import JSON
import Testing

/// Rules T2 and T4: daily reminders follow the recipient's local time.
@Suite struct WallClockTests {
  @Test func `T2: in New York a time in a gap fires at the end of the gap`() throws {
    try Diary.expect(
      """
      2026-03-06 12:00  off lesson
      2026-03-06 12:00  zone America/New_York
      2026-03-06 12:00  set checkin 02:30
      2026-03-07 07:30  > daily-checkin-reminder
      2026-03-08 07:00  > daily-checkin-reminder
      2026-03-09 06:30  > daily-checkin-reminder
      2026-03-09 12:00  end
      """)
  }

  @Test func `T2: in New York a time that occurs twice fires at the first instant`() throws {
    try Diary.expect(
      """
      2026-10-30 12:00  off lesson
      2026-10-30 12:00  zone America/New_York
      2026-10-30 12:00  set checkin 01:30
      2026-10-31 05:30  > daily-checkin-reminder
      2026-11-01 05:30  > daily-checkin-reminder
      2026-11-02 06:30  > daily-checkin-reminder
      2026-11-02 12:00  end
      """)
  }

  @Test func `T2: clocks in Lord Howe change by half an hour`() throws {
    try Diary.expect(
      """
      2026-04-03 00:00  off lesson
      2026-04-03 00:00  zone Australia/Lord_Howe
      2026-04-03 00:00  set checkin 01:45
      2026-04-03 14:45  > daily-checkin-reminder
      2026-04-04 14:45  > daily-checkin-reminder
      2026-04-05 15:15  > daily-checkin-reminder
      2026-04-06 00:00  off checkin
      2026-10-02 00:00  prefs {"reminders":{"checkin":{"enabled":true,"time":"02:15"}}}
      2026-10-02 15:45  > daily-checkin-reminder
      2026-10-03 15:30  > daily-checkin-reminder
      2026-10-04 15:15  > daily-checkin-reminder
      2026-10-05 00:00  end
      """)
  }

  @Test(arguments: ["00:00", "00:30", "00:59"])
  func `T2: in Cairo a time in the gap at midnight fires at the end of the gap`(time: String) throws
  {
    try Diary.expect(
      """
      2026-04-23 12:00  off lesson
      2026-04-23 12:00  zone Africa/Cairo
      2026-04-23 12:00  set checkin \(time)
      2026-04-23 22:00  > daily-checkin-reminder
      2026-04-24 20:00  end
      """)
  }

  @Test func `T2: in Cairo times around the repeated hour before midnight fire once`() throws {
    try Diary.expect(
      """
      2026-10-28 12:00  off lesson
      2026-10-28 12:00  zone Africa/Cairo
      2026-10-28 12:00  set checkin 23:30
      2026-10-28 20:30  > daily-checkin-reminder
      2026-10-29 20:30  > daily-checkin-reminder
      2026-10-29 20:45  set checkin 00:00
      2026-10-29 22:00  > daily-checkin-reminder
      2026-10-30 22:00  > daily-checkin-reminder
      2026-10-31 12:00  end
      """)
  }

  @Test func `T2: a date that a zone skipped has no reminder`() throws {
    // Samoa crossed the date line: 2011-12-29 was followed by 2011-12-31.
    try Diary.expect(
      """
      2011-12-29 12:00  off lesson
      2011-12-29 12:00  zone Pacific/Apia
      2011-12-29 12:00  set checkin 09:00
      2011-12-29 19:00  > daily-checkin-reminder
      2011-12-30 19:00  > daily-checkin-reminder
      2011-12-31 12:00  end
      """)
  }

  @Test func `T2: a date's reminder fires once if the recipient travels west`() throws {
    // It is 21:00 on 3 March first in Tokyo, and later in Los Angeles.
    try Diary.expect(
      """
      2026-03-03 10:00  off lesson
      2026-03-03 10:00  zone Asia/Tokyo
      2026-03-03 12:00  > daily-checkin-reminder
      2026-03-03 13:00  zone America/Los_Angeles
      2026-03-05 05:00  > daily-checkin-reminder
      2026-03-05 06:00  end
      """)
  }

  @Test func `T2: a date's reminder still fires if the recipient travels east`() throws {
    try Diary.expect(
      """
      2026-03-03 04:00  off lesson
      2026-03-03 04:00  zone America/Los_Angeles
      2026-03-03 05:00  > daily-checkin-reminder
      2026-03-03 06:00  zone Asia/Tokyo
      2026-03-03 12:00  > daily-checkin-reminder
      2026-03-03 13:00  end
      """)
  }

  @Test func `T2: a date's reminder fires once if the time is moved later`() throws {
    try Diary.expect(
      """
      2026-03-03 10:00  off lesson
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 21:30  set checkin 22:00
      2026-03-04 21:30  set checkin 23:00
      2026-03-04 23:00  > daily-checkin-reminder
      2026-03-05 12:00  set checkin 11:00
      2026-03-06 11:00  > daily-checkin-reminder
      2026-03-06 12:00  end
      """)
  }

  @Test func `T2: a date's reminder fires once if it is held while its time moves`() throws {
    try Diary.expect(
      """
      2026-03-03 10:00  off lesson
      2026-03-03 10:00  quiet 20:00 23:30
      2026-03-03 22:00  set checkin 23:45
      2026-03-03 23:30  > daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours)
      2026-03-04 23:45  > daily-checkin-reminder
      2026-03-04 23:50  end
      """)
  }

  @Test func `T4: without a zone the default zone applies`() throws {
    try Diary.expect(
      """
      2026-03-03 10:00  off lesson
      2026-03-03 12:00  > daily-checkin-reminder
      2026-03-03 13:00  zone Europe/Paris
      2026-03-04 20:00  > daily-checkin-reminder
      2026-03-05 10:00  prefs {"reminders":{"checkin":{"time":"22:00"}}}
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-05 22:00  end
      """, defaultZone: "Asia/Tokyo")
  }

  @Test func `T4: a new default zone moves only recipients without a zone`() throws {
    let tokyo = try Fixtures.planner(defaultZone: "Asia/Tokyo")
    let start = try utc("2026-03-03 10:00")
    var playerWithoutZone = Player(planner: try Fixtures.planner(), now: start)
    var playerWithZone = playerWithoutZone
    try playerWithZone.take("recipient.updated", ["timezone": "Europe/Paris"])
    try playerWithoutZone.take("recipient.updated", ["name": "Amina"])
    playerWithZone.change(to: tokyo)
    playerWithoutZone.change(to: tokyo)
    #expect(try playerWithZone.nextDue == utc("2026-03-03 20:00"))
    #expect(try playerWithoutZone.nextDue == utc("2026-03-03 12:00"))
  }
}
