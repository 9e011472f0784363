import Testing

/// Rules T5 and T10: a changed zone, preference or catalog changes pending occurrences at once.
@Suite struct ReplanTests {
  @Test func `T5: a new zone moves pending occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 10:00  zone America/New_York
      2026-03-02 20:00  zone Europe/Paris
      2026-03-03 20:00  > daily-checkin-reminder
      2026-03-03 21:00  end
      """)
  }

  @Test func `T5: an occurrence that a new zone moves into the past is sent at once`() throws {
    // The relapse is on 2 March in both zones, but 08:00 on 3 March is long past in Tokyo.
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin milestone
      2026-03-02 09:00  zone America/Los_Angeles
      2026-03-02 12:00  relapse
      2026-03-03 10:00  zone Asia/Tokyo
      2026-03-03 10:00  > relapse-recovery-reminder of 2026-03-02 23:00
      2026-03-03 11:00  off lesson
      2026-03-06 00:00  end
      """)
  }

  @Test func `T5: an occurrence that a new time moves into the past is sent at once`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin milestone
      2026-03-02 12:00  lesson 1
      2026-03-02 13:00  relapse
      2026-03-03 07:00  set lesson 06:00
      2026-03-03 07:00  > relapse-recovery-reminder of 2026-03-03 06:00
      2026-03-06 00:00  end
      """)
  }

  @Test func `T5: a delivered recovery reminder is not sent again when its time moves`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin milestone
      2026-03-02 12:00  lesson 1
      2026-03-02 13:00  relapse
      2026-03-03 08:00  > relapse-recovery-reminder
      2026-03-03 09:00  set lesson 10:00
      2026-03-03 09:00  zone America/Los_Angeles
      2026-03-06 00:00  end
      """)
  }

  @Test func `T5: quiet hours that end earlier release held occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 23:30
      2026-03-02 21:30  quiet 20:00 22:00
      2026-03-02 22:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 21:30  quiet off
      2026-03-03 21:30  > daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours)
      2026-03-04 00:00  end
      """)
  }

  @Test func `T5: longer quiet hours extend the hold`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 23:30
      2026-03-02 21:30  quiet 20:00 01:00
      2026-03-03 01:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 21:30  quiet 20:00 12:00
      2026-03-03 21:30  x daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours, expired)
      2026-03-04 00:00  end
      """)
  }

  @Test func `V11: a new zone does not move the end of a hold`() throws {
    // Quiet hours until 23:00 would end an hour earlier in Paris.
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 23:00
      2026-03-02 21:30  zone Europe/Paris
      2026-03-02 23:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 00:00  end
      """)
  }

  @Test func `T5: a new catalog moves, adds and removes occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  created
      2026-03-02 10:00  catalog evening
      2026-03-02 18:00  > note
      2026-03-02 20:00  catalog noon
      2026-03-03 12:00  > note
      2026-03-03 13:00  catalog other
      2026-03-04 12:00  > other
      2026-03-04 13:00  catalog noon
      2026-03-05 12:00  > note
      2026-03-05 13:00  end
      """, catalog: Fixtures.noteCatalog(), alternatives: Self.alternatives)
  }

  @Test func `T10: a held occurrence of a removed reminder is withdrawn`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 11:00 13:00
      2026-03-02 12:30  catalog other
      2026-03-02 12:30  x note of 2026-03-02 12:00 (quiet_hours, withdrawn)
      2026-03-03 09:00  catalog noon
      2026-03-03 13:00  > note of 2026-03-03 12:00 (quiet_hours)
      2026-03-03 14:00  end
      """, catalog: Fixtures.noteCatalog(), alternatives: Self.alternatives)
  }

  private static let alternatives = [
    "noon": Fixtures.noteCatalog(), "evening": Fixtures.noteCatalog(at: "18:00"),
    "other": Fixtures.noteCatalog(reminder: "other"),
  ]
}
