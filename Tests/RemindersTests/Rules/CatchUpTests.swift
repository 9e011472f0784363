import Testing

/// Rule T7: late is better than lost, within reason.
@Suite struct CatchUpTests {
  @Test func t7OfARepeatingReminderOnlyTheLatestMissedOneIsSaid() throws {
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

  @Test func t7TheLatestIsDroppedToIfItHasExpired() throws {
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

  @Test func t7TheInstantOfExpiryIsTheLastOneInTime() throws {
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

  @Test func t7OneTimeRemindersGoOutLateOrExpire() throws {
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

  @Test func t7QuietHoursHoldWhatIsLateToo() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 09:00  quiet 22:00 06:00
      2026-03-03 03:00  jump
      2026-03-03 06:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-03 12:00  end
      """)
  }

  @Test func t7WhatWasHeldWhenTheServiceStoppedIsMissedIfAnotherIsDue() throws {
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

  @Test func v6OfTwoThatQuietHoursHoldTheLaterGoes() throws {
    // The next one, moved to 05:00, is planned while the last one still waits for 06:00.
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

  @Test func t7AnEventThatArrivesAfterAPauseFindsEverythingFired() throws {
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
