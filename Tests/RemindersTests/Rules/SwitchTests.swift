import Testing

/// Rules I5, I7 and P2: a reminder that is switched off is not planned, and its stored settings
/// stay.
@Suite struct SwitchTests {
  @Test func `I5: the lesson switch covers both lesson reminders and the recovery`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin milestone lesson
      2026-03-02 12:00  lesson 1
      2026-03-02 13:00  relapse
      2026-03-05 12:00  end
      """)
  }

  @Test func `I5: check-in and milestones have their own switches`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off lesson
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-02 22:00  off checkin
      2026-03-03 22:00  streak
      2026-03-04 22:00  > milestone-1
      2026-03-04 23:00  off milestone
      2026-03-09 12:00  on checkin
      2026-03-09 21:00  > daily-checkin-reminder
      2026-03-10 12:00  end
      """)
  }

  @Test func `I5: a reminder that is switched on is planned from the facts`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin lesson
      2026-03-02 12:00  lesson 1
      2026-03-02 13:00  lesson 2
      2026-03-03 12:00  on lesson
      2026-03-03 13:00  > daily-lesson-reminder "Day 3 Lesson Ready"
      2026-03-04 12:00  end
      """)
  }

  @Test func `I5: an occurrence due while its reminder is switched off is not sent later`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  off checkin
      2026-03-02 12:00  lesson 2
      2026-03-02 13:00  off lesson
      2026-03-03 12:30  on lesson
      2026-03-09 12:00  end
      """)
  }

  @Test func `I5: switching off cancels a held occurrence`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off lesson
      2026-03-02 07:00  quiet 20:00 23:00
      2026-03-02 22:00  off checkin
      2026-03-04 00:00  end
      """)
  }

  @Test func `I5: the times of reminders are preferences`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off milestone
      2026-03-02 07:00  set checkin 19:15
      2026-03-02 07:00  set lesson 09:45
      2026-03-02 09:45  > first-lesson-reminder
      2026-03-02 19:15  > daily-checkin-reminder
      2026-03-02 20:00  lesson 1
      2026-03-02 20:00  relapse
      2026-03-03 09:45  > relapse-recovery-reminder
      2026-03-03 19:00  end
      """)
  }

  @Test(arguments: [
    #"{"master":false}"#, #"{"channels":{"push":false}}"#,
    #"{"categories":{"CHECKIN":{"push":false}}}"#, #"{"reminders":{"checkin":{"enabled":false}}}"#,
  ])
  func `P2: each switch alone turns the reminder off`(off: String) throws {
    let on = off.replacing("false", with: "true")
    try Diary.expect(
      """
      2026-03-02 09:00  off lesson
      2026-03-02 10:00  prefs \(off)
      2026-03-03 10:00  prefs \(on)
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func `P2: settings below a master switch are kept`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  prefs {"categories":{"LESSON":{"push":false}}}
      2026-03-02 10:00  prefs {"master":false,"channels":{"push":false}}
      2026-03-02 10:30  prefs {"categories":{"CHECKIN":{"push":true}}}
      2026-03-03 10:00  prefs {"master":true}
      2026-03-03 22:00  prefs {"channels":{"push":true}}
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 10:00  prefs {"categories":{"LESSON":{"push":true}}}
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-06 08:00  > first-lesson-reminder
      2026-03-06 10:00  end
      """)
  }

  @Test func `I7: motivation and summary are off until switched on`() throws {
    // 2026-03-08 is a Sunday.
    try Diary.expect(
      """
      2026-03-06 10:00  off checkin lesson
      2026-03-07 10:00  on motivation summary
      2026-03-08 06:00  > morning-motivation "Morning Motivation"
      2026-03-08 18:00  > weekly-summary "Your Week"
      2026-03-09 06:00  > morning-motivation
      2026-03-09 10:00  off motivation
      2026-03-10 10:00  prefs {"reminders":{"summary":{"days":["wed","fri"],"time":"12:00"}}}
      2026-03-11 12:00  > weekly-summary
      2026-03-13 12:00  > weekly-summary
      2026-03-16 00:00  end
      """)
  }
}
