import CivilTime
import JSON
import Reminders
import Testing

/// Rules P7, V2 and V3 on whole days.
@Suite struct QuietHoursTests {
  private static let refusal = "! data.quietHours is refused: Start and end time cannot be the same"

  @Test func `P7: a quiet window wraps midnight`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 09:00  quiet 22:00 08:30
      2026-03-03 08:30  > first-lesson-reminder of 2026-03-03 08:00 (quiet_hours)
      2026-03-03 09:00  set lesson 21:59
      2026-03-04 21:59  > first-lesson-reminder
      2026-03-04 22:30  set lesson 22:00
      2026-03-06 08:30  > first-lesson-reminder of 2026-03-05 22:00 (quiet_hours)
      2026-03-06 09:00  set lesson 08:30
      2026-03-07 08:30  > first-lesson-reminder
      2026-03-07 09:00  end
      """)
  }

  /// Stored times can be equal only if events were folded without the check.
  @Test func `P7: equal stored times refuse no vacation`() throws {
    let (planner, now) = (try Fixtures.planner(), try utc("2026-03-02 09:00"))
    func event(_ type: String, _ data: JSONValue) throws -> Event {
      try EventReader(planner: planner).event(
        [
          "specversion": "1.0", "id": .string(type), "source": "test", "type": .string(type),
          "subject": "amina", "data": data,
        ], now: now)
    }
    var recipient = Recipient(name: "amina", now: now)
    let equalTimes = try event("preferences.updated", ["quietHours": ["start": "08:00"]])
    recipient.apply(equalTimes, order: 1, now: now, planner: planner)
    #expect(throws: Refusal.self) { try recipient.check(equalTimes, planner: planner) }
    let vacation = try event("vacation.started", ["until": "2026-03-10"])
    try recipient.check(vacation, planner: planner)
    recipient.apply(vacation, order: 2, now: now, planner: planner)
    try recipient.check(try event("vacation.ended", [:]), planner: planner)
  }

  @Test func `P7: the chosen days are the days on which a window starts`() throws {
    // 2026-03-06 is a Friday: the window of Saturday lasts until Sunday; Sunday itself has none.
    try Diary.expect(
      """
      2026-03-06 09:00  off checkin
      2026-03-06 09:00  quiet 22:00 09:00 sat
      2026-03-07 08:00  > first-lesson-reminder
      2026-03-08 09:00  > first-lesson-reminder of 2026-03-08 08:00 (quiet_hours)
      2026-03-09 08:00  > first-lesson-reminder
      2026-03-09 09:00  end
      """)
  }

  /// The window of Monday ends on Tuesday morning, and no window begins on Tuesday.
  @Test func `P7: a window of Monday leaves the night of Tuesday open`() throws {
    // 2026-03-02 is a Monday.
    try Diary.expect(
      """
      2026-03-02 06:00  off lesson
      2026-03-02 06:00  quiet 22:00 07:00 mon
      2026-03-02 06:00  set checkin 23:00
      2026-03-03 07:00  > daily-checkin-reminder of 2026-03-02 23:00 (quiet_hours)
      2026-03-03 23:00  > daily-checkin-reminder
      2026-03-04 00:00  set checkin 03:00
      2026-03-04 03:00  > daily-checkin-reminder
      2026-03-05 03:00  > daily-checkin-reminder
      2026-03-06 03:00  > daily-checkin-reminder
      2026-03-07 03:00  > daily-checkin-reminder
      2026-03-08 03:00  > daily-checkin-reminder
      2026-03-09 03:00  > daily-checkin-reminder
      2026-03-10 07:00  > daily-checkin-reminder of 2026-03-10 03:00 (quiet_hours)
      2026-03-11 03:00  > daily-checkin-reminder
      2026-03-11 04:00  end
      """)
  }

  /// An unknown zone must not open the gate: quiet hours follow the default zone.
  @Test func `T4: without a zone quiet hours follow the default zone`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 08:00
      2026-03-03 07:00  > daily-checkin-reminder of 2026-03-02 20:00 (quiet_hours)
      2026-03-03 09:00  zone Asia/Tokyo
      2026-03-03 10:00  quiet 20:00 08:00
      2026-03-03 23:00  > daily-checkin-reminder of 2026-03-03 12:00 (quiet_hours)
      2026-03-04 00:00  prefs {"quietHours": {"enabled": true}}
      2026-03-04 01:00  event recipient.updated {"timezone": null}
      2026-03-05 07:00  > daily-checkin-reminder of 2026-03-04 20:00 (quiet_hours)
      2026-03-05 09:00  end
      """, defaultZone: "Europe/Berlin")
  }

  @Test func `P7: a write of start and end keeps the days`() throws {
    try Diary.expect(
      """
      2026-03-06 09:00  off checkin
      2026-03-06 09:00  quiet 07:00 09:00 sat
      2026-03-07 09:00  > first-lesson-reminder of 2026-03-07 08:00 (quiet_hours)
      2026-03-08 08:00  > first-lesson-reminder
      2026-03-08 10:00  prefs {"quietHours":{"end":"09:30"}}
      2026-03-09 08:00  > first-lesson-reminder
      2026-03-09 10:00  quiet 07:00 10:00
      2026-03-10 08:00  > first-lesson-reminder
      2026-03-11 08:00  > first-lesson-reminder
      2026-03-12 08:00  > first-lesson-reminder
      2026-03-13 08:00  > first-lesson-reminder
      2026-03-14 10:00  > first-lesson-reminder of 2026-03-14 08:00 (quiet_hours)
      2026-03-14 12:00  end
      """)
  }

  @Test func `P7: equal start and end are refused`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 10:00  quiet 21:00 21:00
      2026-03-02 10:00  \(Self.refusal)
      2026-03-02 10:01  prefs {"quietHours":{"enabled":false,"start":"21:00","end":"21:00"}}
      2026-03-02 10:01  \(Self.refusal)
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-02 22:00  end
      """)
  }

  @Test func `P7: a start equal to the stored or default end is refused, and vice versa`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson checkin
      2026-03-02 10:00  prefs {"quietHours":{"start":"08:00"}}
      2026-03-02 10:00  \(Self.refusal)
      2026-03-02 10:01  prefs {"quietHours":{"end":"21:00"}}
      2026-03-02 10:01  \(Self.refusal)
      2026-03-02 10:02  prefs {"quietHours":{"start":"05:30"}}
      2026-03-02 10:03  prefs {"quietHours":{"end":"05:30"}}
      2026-03-02 10:03  \(Self.refusal)
      2026-03-02 10:04  prefs {"quietHours":{"enabled":true},"master":true}
      2026-03-02 22:00  end
      """)
  }

  @Test func `P7: a late write cannot make start and end equal`() throws {
    // Events are folded by time: the start of 11:00 stays, and the late write's end would equal it.
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson checkin
      2026-03-02 11:00  prefs {"quietHours":{"start":"05:30"}}
      2026-03-02 12:00  prefs {"quietHours":{"start":"04:00","end":"05:30"}}  @ 2026-03-02 10:00
      2026-03-02 12:00  \(Self.refusal)
      2026-03-02 22:00  end
      """)
  }

  @Test func `V3: quiet hours include their start and exclude their end`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 21:00 22:00
      2026-03-02 22:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-02 23:00  quiet 20:00 21:00
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func `V3: a window in a night with a gap is shorter`() throws {
    // New York has no 02:00 to 03:00 on 8 March: quiet hours until 02:30 last until 03:00, 07:00
    // UTC.
    try Diary.expect(
      """
      2026-03-07 09:00  off lesson
      2026-03-07 09:00  zone America/New_York
      2026-03-07 09:00  set checkin 01:30
      2026-03-07 09:00  quiet 22:00 02:30
      2026-03-08 07:00  > daily-checkin-reminder of 2026-03-08 06:30 (quiet_hours)
      2026-03-09 06:30  > daily-checkin-reminder of 2026-03-09 05:30 (quiet_hours)
      2026-03-09 09:00  end
      """)
  }

  @Test func `V3: a window whose end occurs twice in a night ends at the first instant`() throws {
    // New York has 01:00 to 02:00 twice on 1 November: quiet hours until 01:30 end at 05:30 UTC.
    try Diary.expect(
      """
      2026-10-31 09:00  off lesson
      2026-10-31 09:00  zone America/New_York
      2026-10-31 09:00  set checkin 00:30
      2026-10-31 09:00  quiet 22:00 01:30
      2026-11-01 05:30  > daily-checkin-reminder of 2026-11-01 04:30 (quiet_hours)
      2026-11-02 06:30  > daily-checkin-reminder of 2026-11-02 05:30 (quiet_hours)
      2026-11-02 09:00  end
      """)
  }

  @Test func `V2: an occurrence held beyond its expiry is dropped with the gate's name`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 09:01
      2026-03-02 21:00  x daily-checkin-reminder (quiet_hours, expired)
      2026-03-03 12:00  quiet 20:00 09:00
      2026-03-04 09:00  > daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours)
      2026-03-04 12:00  end
      """)
  }

  @Test func `V3: critical occurrences pass quiet hours unless the recipient forbids it`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 11:00 13:00
      2026-03-02 12:00  > note
      2026-03-02 14:00  prefs {"quietHours":{"allowCritical":false}}
      2026-03-03 13:00  > note of 2026-03-03 12:00 (quiet_hours)
      2026-03-03 14:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "critical"))
  }

  @Test func `V3: mandatory occurrences pass quiet hours in any case`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 11:00 13:00
      2026-03-02 09:00  prefs {"quietHours":{"allowCritical":false}}
      2026-03-02 12:00  > note
      2026-03-02 14:00  end
      """, catalog: Fixtures.noteCatalog(urgency: "mandatory"))
  }

  @Test(arguments: ["low", "normal", "high"])
  func `V3: quiet hours hold all other urgencies`(urgency: String) throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 11:00 13:00
      2026-03-02 13:00  > note of 2026-03-02 12:00 (quiet_hours)
      2026-03-02 14:00  end
      """, catalog: Fixtures.noteCatalog(urgency: urgency))
  }
}
