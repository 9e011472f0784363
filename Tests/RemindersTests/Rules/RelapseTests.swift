import Testing

/// Rules I2 and I3: a relapse cancels lesson reminders and plans one recovery reminder.
@Suite struct RelapseTests {
  @Test func `I2: a relapse cancels lesson reminders and plans the recovery`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off milestone
      2026-03-02 07:30  lesson 3
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 07:00  relapse
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-04 08:00  > relapse-recovery-reminder "A New Beginning"
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 12:00  end
      """)
  }

  @Test func `I2: the next completed lesson resumes the lessons`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:30  lesson 3
      2026-03-02 12:00  relapse
      2026-03-03 08:00  > relapse-recovery-reminder
      2026-03-05 12:00  lesson 4
      2026-03-06 12:00  > daily-lesson-reminder "Day 5 Lesson Ready"
      2026-03-09 12:00  end
      """)
  }

  @Test func `I2: a lesson before the recovery resumes lessons and keeps the recovery`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:30  lesson 3
      2026-03-02 12:00  relapse
      2026-03-02 13:00  lesson 4
      2026-03-03 08:00  > relapse-recovery-reminder
      2026-03-03 13:00  > daily-lesson-reminder "Day 5 Lesson Ready"
      2026-03-09 12:00  end
      """)
  }

  @Test func `I2: the first lesson resumes on the day after the recovery`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 08:00  > first-lesson-reminder
      2026-03-03 07:00  relapse
      2026-03-04 08:00  > relapse-recovery-reminder
      2026-03-05 08:00  > first-lesson-reminder
      2026-03-06 08:00  > first-lesson-reminder
      2026-03-06 12:00  end
      """)
  }

  @Test func `I2: a relapse cancels a first lesson held by quiet hours`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:00  quiet 06:00 12:00
      2026-03-02 10:00  relapse
      2026-03-03 12:00  > relapse-recovery-reminder of 2026-03-03 08:00 (quiet_hours)
      2026-03-04 12:00  > first-lesson-reminder of 2026-03-04 08:00 (quiet_hours)
      2026-03-04 12:01  end
      """)
  }

  @Test func `I2: a relapse cancels a lesson held by quiet hours`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin milestone
      2026-03-02 09:00  lesson 3
      2026-03-02 10:00  quiet 08:30 12:00
      2026-03-03 10:00  relapse
      2026-03-04 08:00  > relapse-recovery-reminder
      2026-03-09 12:00  end
      """)
  }

  @Test func `I2: the recovery follows the recipient's local date`() throws {
    // 16:00 UTC is already the next day in Tokyo, where the lesson time is 23:00 UTC.
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:00  zone Asia/Tokyo
      2026-03-02 07:30  lesson 3
      2026-03-02 14:59  relapse
      2026-03-02 23:00  > relapse-recovery-reminder
      2026-03-03 15:00  relapse
      2026-03-04 23:00  > relapse-recovery-reminder
      2026-03-09 12:00  end
      """)
  }

  @Test func `I3: a second relapse replans the single recovery`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:30  lesson 3
      2026-03-02 12:00  relapse
      2026-03-02 23:00  relapse
      2026-03-03 07:00  relapse
      2026-03-04 08:00  > relapse-recovery-reminder
      2026-03-09 12:00  end
      """)
  }

  @Test func `I3: a second relapse replans a recovery held by quiet hours`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:00  quiet 06:00 12:00
      2026-03-02 07:30  lesson 3
      2026-03-02 12:00  relapse
      2026-03-03 10:00  relapse
      2026-03-04 12:00  > relapse-recovery-reminder of 2026-03-04 08:00 (quiet_hours)
      2026-03-09 12:00  end
      """)
  }

  @Test func `I3: a relapse reported late has a recovery unless this has expired`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone
      2026-03-02 07:30  lesson 3
      2026-03-03 07:30  > daily-lesson-reminder
      2026-03-03 20:00  relapse  @ 2026-03-02 20:00
      2026-03-03 20:00  > relapse-recovery-reminder of 2026-03-03 08:00
      2026-03-05 20:00  relapse  @ 2026-03-03 20:00
      2026-03-06 20:00  relapse  @ 2026-03-03 10:00
      2026-03-09 12:00  end
      """)
  }

  @Test func `E1: a lesson after a relapse counts even if the relapse is reported later`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin milestone
      2026-03-02 12:00  lesson 3
      2026-03-02 13:00  relapse  @ 2026-03-02 11:00
      2026-03-03 08:00  > relapse-recovery-reminder
      2026-03-03 12:00  > daily-lesson-reminder
      2026-03-09 12:00  end
      """)
  }
}
