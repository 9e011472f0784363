import Testing

/// Rule T7: overdue occurrences are sent late, or dropped as missed or expired.
@Suite struct CatchUpTests {
  @Test func `T7: only the latest overdue occurrence of a repeating reminder is sent`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-05 22:30  jump
      2026-03-05 22:30  x daily-checkin-reminder of 2026-03-04 21:00 (missed)
      2026-03-05 22:30  > daily-checkin-reminder of 2026-03-05 21:00
      2026-03-06 21:00  > daily-checkin-reminder
      2026-03-06 22:00  end
      """)
  }

  @Test func `T7: the latest overdue occurrence is dropped too if it has expired`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-04 12:00  jump
      2026-03-04 12:00  x daily-checkin-reminder of 2026-03-02 21:00 (missed)
      2026-03-04 12:00  x daily-checkin-reminder of 2026-03-03 21:00 (expired)
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test func `T7: an occurrence is still sent at the instant of its expiry`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-03 09:00  jump
      2026-03-03 09:00  > daily-checkin-reminder of 2026-03-02 21:00
      2026-03-04 09:00:00.001  jump
      2026-03-04 09:00:00.001  x daily-checkin-reminder of 2026-03-03 21:00 (expired)
      2026-03-04 10:00  end
      """)
  }

  @Test func `T7: overdue one-time reminders are sent late, or expire`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 12:00  lesson 2
      2026-03-02 12:00  streak
      2026-03-06 11:00  jump
      2026-03-06 11:00  > daily-lesson-reminder of 2026-03-03 12:00
      2026-03-06 11:00  x milestone-1 of 2026-03-03 12:00 (expired)
      2026-03-06 11:00  > milestone-3 of 2026-03-05 12:00
      2026-03-06 12:00  end
      """)
  }

  @Test func `T7: quiet hours also hold late occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 22:00 06:00
      2026-03-03 03:00  jump
      2026-03-03 06:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 12:00  end
      """)
  }

  @Test func `T7: an occurrence held before a restart is missed if a later occurrence is due`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:30 06:00
      2026-03-02 21:30  restart
      2026-03-04 06:30  jump
      2026-03-04 06:30  x daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours, missed)
      2026-03-04 06:30  > daily-checkin-reminder of 2026-03-03 21:00
      2026-03-04 12:00  end
      """)
  }

  @Test func `V6: only the later of two occurrences held by quiet hours is sent`() throws {
    // The next occurrence, moved to 05:00, is planned while the previous one waits for 06:00.
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:30 06:00
      2026-03-02 22:00  set checkin 05:00
      2026-03-03 05:00  x daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours, missed)
      2026-03-03 06:00  > daily-checkin-reminder of 2026-03-03 05:00 (quiet_hours)
      2026-03-03 12:00  end
      """)
  }

  @Test func `T7: overdue occurrences fire before an event that arrives after a clock jump`() throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-03 06:00  jump
      2026-03-03 06:00  > daily-checkin-reminder of 2026-03-02 21:00
      2026-03-03 06:00  off checkin
      2026-03-04 12:00  end
      """)
  }
}
