import Testing

/// Rules I1 and T3: the first lesson, and the lessons after it.
@Suite struct LessonTests {
  @Test func `I1: the first lesson has a daily reminder until it is completed`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > first-lesson-reminder "Start Your Journey"
      2026-03-02 21:00  > daily-checkin-reminder "Daily Check-in"
      2026-03-03 08:00  > first-lesson-reminder
      2026-03-03 09:30  lesson 1
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-04 09:30  > daily-lesson-reminder "Day 2 Lesson Ready"
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 08:30  end
      """)
  }

  @Test func `the first occurrence is after the creation of the recipient`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  off checkin
      2026-03-03 08:00  > first-lesson-reminder
      2026-03-03 08:01  end
      """)
  }

  @Test func `I1: a higher day replaces the pending reminder`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 09:30  lesson 1
      2026-03-02 20:00  lesson 2
      2026-03-03 20:00  > daily-lesson-reminder "Day 3 Lesson Ready"
      2026-03-03 20:30  lesson 3
      2026-03-04 19:00  lesson 7
      2026-03-05 19:00  > daily-lesson-reminder "Day 8 Lesson Ready"
      2026-03-09 00:00  end
      """)
  }

  @Test func `I1: a day that is not higher changes nothing`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 09:30  lesson 4
      2026-03-02 12:00  lesson 2
      2026-03-02 13:00  lesson 4
      2026-03-03 09:30  > daily-lesson-reminder "Day 5 Lesson Ready"
      2026-03-03 12:00  lesson 4
      2026-03-03 13:00  lesson 1
      2026-03-09 00:00  end
      """)
  }

  @Test func `I1: no reminder follows the last lesson`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 09:30  lesson 29
      2026-03-03 09:30  > daily-lesson-reminder "Day 30 Lesson Ready"
      2026-03-03 12:00  lesson 30
      2026-03-03 13:00  lesson 29
      2026-03-09 00:00  end
      """)
  }

  @Test func `I1: the completion of the last lesson cancels the reminder for it`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 09:30  lesson 29
      2026-03-02 10:00  lesson 30
      2026-03-09 00:00  end
      """)
  }

  @Test func `E1: late lessons are folded by their time`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 12:00  lesson 3
      2026-03-02 13:00  lesson 2  @ 2026-03-02 11:00
      2026-03-02 14:00  lesson 3  @ 2026-03-02 10:00
      2026-03-03 10:00  > daily-lesson-reminder "Day 4 Lesson Ready"
      2026-03-03 11:00  lesson 4  @ 2026-03-02 10:30
      2026-03-03 11:00  > daily-lesson-reminder of 2026-03-03 10:30 "Day 5 Lesson Ready"
      2026-03-09 00:00  end
      """)
  }

  @Test func `E1: a late report of an earlier completion sends no second reminder`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 12:00  lesson 3
      2026-03-03 12:00  > daily-lesson-reminder "Day 4 Lesson Ready"
      2026-03-03 13:00  lesson 3  @ 2026-03-02 10:00
      2026-03-09 00:00  end
      """)
  }

  @Test func `T15: a lesson from long ago has no reminder`() throws {
    try Diary.expect(
      """
      2026-03-10 09:00  off checkin
      2026-03-10 09:00  lesson 5  @ 2026-03-01 09:00
      2026-03-12 09:00  end
      """)
  }

  @Test(arguments: ["America/New_York", "Australia/Lord_Howe"])
  func `T3: 24 hours are elapsed time, also across a change of clocks`(zone: String) throws {
    // Clocks change in both zones within these weeks.
    try Diary.expect(
      """
      2026-03-07 00:00  zone \(zone)
      2026-03-07 00:00  off checkin
      2026-03-07 09:30  lesson 1
      2026-03-08 09:30  > daily-lesson-reminder
      2026-04-04 09:30  lesson 2
      2026-04-05 09:30  > daily-lesson-reminder
      2026-04-06 00:00  end
      """)
  }
}
