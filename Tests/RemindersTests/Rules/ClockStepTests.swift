import Testing

/// Rules T6 and T11: the clock may jump, and a jump may be reverted. Nothing is lost, and no
/// occurrence is delivered twice.
@Suite struct ClockStepTests {
  @Test func `T6: occurrences due during a jump fire at once`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 20:00  streak  @ 2026-03-01 21:30
      2026-03-02 22:00  jump
      2026-03-02 22:00  > daily-checkin-reminder of 2026-03-02 21:00
      2026-03-02 22:00  > milestone-1 of 2026-03-02 21:30
      2026-03-03 12:00  end
      """)
  }

  @Test func `T6: a daily reminder is sent only once if the clock steps back`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-02 21:30  fire
      2026-03-02 20:00  jump
      2026-03-02 21:30  fire
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 21:01  end
      """)
  }

  @Test func `T6: a one-time reminder is sent only once if the clock steps back`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 12:00  lesson 1
      2026-03-02 12:00  streak
      2026-03-03 12:00  > daily-lesson-reminder
      2026-03-03 12:00  > milestone-1
      2026-03-03 12:30  fire
      2026-03-03 11:00  jump
      2026-03-03 13:00  fire
      2026-03-04 12:00  end
      """)
  }

  @Test func `T6: an event after the clock steps back is processed`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 15:00  fire
      2026-03-02 12:00  jump
      2026-03-02 12:30  milestone 7
      2026-03-02 12:30:01  > milestone-7
      2026-03-02 12:40  streak
      2026-03-03 12:40  > milestone-1
      2026-03-03 13:00  end
      """)
  }

  @Test func `T6: a held occurrence is not sent before its planned instant`() throws {
    // The clock steps back before the planned instant; then a changed preference makes the engine
    // evaluate the gates again.
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 23:00
      2026-03-02 21:30  fire
      2026-03-02 18:00  jump
      2026-03-02 18:30  set lesson 09:00
      2026-03-02 23:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 12:00  end
      """)
  }

  @Test func `T6: a hold keeps its end when the clock steps back`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 20:00 23:00
      2026-03-02 21:30  fire
      2026-03-02 20:30  jump
      2026-03-02 23:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 12:00  end
      """)
  }

  @Test func `T6: firing twice at an instant changes nothing`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-02 21:00  fire
      2026-03-02 21:00  restart
      2026-03-02 21:00  fire
      2026-03-03 12:00  end
      """)
  }

  @Test func `T11: drops caused by a clock that ran ahead are undone`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  off lesson
      2026-03-04 10:00  jump
      2026-03-04 10:00  x daily-checkin-reminder of 2026-03-02 21:00 (missed)
      2026-03-04 10:00  x daily-checkin-reminder of 2026-03-03 21:00 (expired)
      2026-03-02 10:05  rewind
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func `T11: holds caused by a clock that ran ahead are undone`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  off lesson
      2026-03-02 10:00  quiet 22:00 06:00
      2026-03-04 03:00  jump
      2026-03-04 03:00  x daily-checkin-reminder of 2026-03-02 21:00 (missed)
      2026-03-02 10:05  rewind
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func `T11: drops of one-time reminders are undone too`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  off checkin
      2026-03-02 10:00  lesson 1
      2026-03-02 11:00  streak
      2026-03-12 10:00  jump
      2026-03-12 10:00  x daily-lesson-reminder of 2026-03-03 10:00 (expired)
      2026-03-12 10:00  x milestone-1 of 2026-03-03 11:00 (expired)
      2026-03-12 10:00  x milestone-3 of 2026-03-05 11:00 (expired)
      2026-03-12 10:00  x milestone-7 of 2026-03-09 11:00 (expired)
      2026-03-02 10:05  rewind
      2026-03-03 10:00  > daily-lesson-reminder "Day 2 Lesson Ready"
      2026-03-03 11:00  > milestone-1
      2026-03-05 11:00  > milestone-3
      2026-03-06 12:00  end
      """)
  }

  @Test func `T11: a delivery caused by a clock that ran ahead is not repeated`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  off lesson
      2026-03-02 12:00  streak
      2026-03-03 22:00  jump
      2026-03-03 22:00  x daily-checkin-reminder of 2026-03-02 21:00 (missed)
      2026-03-03 22:00  > daily-checkin-reminder of 2026-03-03 21:00
      2026-03-03 22:00  > milestone-1 of 2026-03-03 12:00
      2026-03-03 10:00  rewind
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }
}
