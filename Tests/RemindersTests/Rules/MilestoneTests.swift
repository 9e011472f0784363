import Testing

/// Rule I4: a milestone is sent once for each streak and number of days, whether reported or
/// planned.
@Suite struct MilestoneTests {
  @Test func `I4: a reported milestone is sent a second later`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  milestone 7
      2026-03-02 09:30:01  > milestone-7 "Milestone Reached: Sabr"
      2026-03-02 10:00  milestone 7
      2026-03-09 12:00  end
      """)
  }

  @Test func `I4: milestones are planned from the start of the streak`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  streak
      2026-03-03 09:30  > milestone-1
      2026-03-05 09:30  > milestone-3
      2026-03-09 09:30  > milestone-7
      2026-03-16 09:30  > milestone-14
      2026-03-17 12:00  end
      """)
  }

  @Test func `I4: a reported milestone is not repeated on its day`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  streak
      2026-03-03 06:00  milestone 1
      2026-03-03 06:00:01  > milestone-1
      2026-03-05 09:30  > milestone-3
      2026-03-05 12:00  milestone 3
      2026-03-08 12:00  end
      """)
  }

  @Test func `I4: a report of a held milestone does not send it twice`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:00  quiet 09:00 12:00
      2026-03-02 09:30  streak
      2026-03-03 10:00  milestone 1
      2026-03-03 12:00  > milestone-1 of 2026-03-03 09:30 (quiet_hours)
      2026-03-05 00:00  end
      """)
  }

  @Test func `I4: a relapse cancels pending milestones and starts a new streak`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  streak
      2026-03-03 09:30  > milestone-1
      2026-03-04 12:00  relapse
      2026-03-05 12:00  > milestone-1
      2026-03-06 12:00  streak
      2026-03-07 12:00  > milestone-1
      2026-03-09 12:00  > milestone-3
      2026-03-10 12:00  end
      """)
  }

  @Test func `I4: a held milestone stays when its streak's start arrives late`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:00  quiet 09:00 12:00
      2026-03-02 09:30  milestone 7
      2026-03-02 10:00  streak @ 2026-02-23 09:29
      2026-03-02 12:00  > milestone-7 of 2026-03-02 09:30:01 (quiet_hours)
      2026-03-04 12:00  milestone 7
      2026-03-05 00:00  end
      """)
  }

  @Test func `I4: a sent milestone is not repeated in its streak`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  milestone 7
      2026-03-02 09:30:01  > milestone-7
      2026-03-02 10:00  streak @ 2026-02-23 09:29
      2026-03-02 11:00  milestone 7
      2026-03-03 00:00  end
      """)
  }

  @Test func `I4: a new streak cancels a milestone held by quiet hours`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:00  quiet 09:00 12:00
      2026-03-02 09:30  streak
      2026-03-03 10:00  streak
      2026-03-04 12:00  > milestone-1 of 2026-03-04 10:00 (quiet_hours)
      2026-03-05 00:00  end
      """)
  }

  @Test func `I4: a report from before the streak does not count for it`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  streak
      2026-03-02 12:00  milestone 3  @ 2026-03-02 09:00
      2026-03-03 09:30  > milestone-1
      2026-03-04 00:00  end
      """)
  }

  @Test func `I4: a late streak yields only unexpired milestones`() throws {
    try Diary.expect(
      """
      2026-03-10 09:00  off checkin lesson
      2026-03-10 10:00  streak  @ 2026-03-02 12:00
      2026-03-10 10:00  > milestone-7 of 2026-03-09 12:00
      2026-03-16 12:00  > milestone-14
      2026-03-17 00:00  end
      """)
  }

  @Test func `I4: a late second report sends nothing`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:30  milestone 7
      2026-03-02 09:30:01  > milestone-7
      2026-03-02 12:00  milestone 7  @ 2026-03-02 11:00
      2026-03-03 12:00  end
      """)
  }

  @Test func `I4: a milestone is sent once if its streak arrives after its report`() throws {
    try Diary.expect(
      """
      2026-03-10 09:00  off checkin lesson
      2026-03-10 12:00  milestone 7
      2026-03-10 12:00:01  > milestone-7
      2026-03-10 13:00  streak  @ 2026-03-03 12:00
      2026-03-12 00:00  end
      """)
  }

  @Test func `I4: a report while switched off does not replace the planned milestone`() throws {
    try Diary.expect(
      """
      2026-03-01 09:00  off checkin lesson
      2026-03-01 09:30  streak
      2026-03-02 08:00  off milestone
      2026-03-03 12:00  milestone 7
      2026-03-04 12:00  on milestone
      2026-03-04 12:10  milestone 3
      2026-03-04 12:10:01  > milestone-3
      2026-03-08 09:30  > milestone-7
      2026-03-09 00:00  end
      """)
  }

  @Test func `I4: an interactive report passes quiet hours`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:00  quiet 09:00 12:00
      2026-03-02 09:30  event milestone.reached {"days": 7, "interactive": true}
      2026-03-02 09:30:01  > milestone-7
      2026-03-03 12:00  end
      """)
  }

  @Test func `I4: an interactive report releases the held milestone`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin lesson
      2026-03-02 09:00  quiet 09:00 12:00
      2026-03-02 09:30  streak
      2026-03-03 10:00  event milestone.reached {"days": 1, "interactive": true}
      2026-03-03 10:00  > milestone-1 of 2026-03-03 09:30 (quiet_hours)
      2026-03-04 00:00  end
      """)
  }
}
