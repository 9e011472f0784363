import Testing

/// Rule V4: a vacation drops repeating occurrences and holds single ones until its end.
@Suite struct VacationTests {
  @Test func `V4: a vacation drops repeating occurrences and holds single occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-04
      2026-03-02 21:00  x daily-checkin-reminder (vacation)
      2026-03-03 21:00  x daily-checkin-reminder (vacation)
      2026-03-04 21:00  x daily-checkin-reminder (vacation)
      2026-03-05 08:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-05 22:00  end
      """)
  }

  @Test func `V4: occurrences held by a vacation are sent as one digest`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  lesson 1
      2026-03-02 07:30  off checkin
      2026-03-02 08:00  vacation 2026-03-03
      2026-03-03 09:00  milestone 7
      2026-03-04 08:00  + milestone-7 of 2026-03-03 09:00:01 (vacation)
      2026-03-04 08:00  + daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-04 08:00  > digest of 2026-03-03 07:00 (vacation) "2 reminders"
      2026-03-04 09:00  end
      """.sortedOutcomes)
  }

  @Test func `V9: a vacation ends at the start of the recipient's own day`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  zone America/New_York
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-03
      2026-03-04 13:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-04 14:00  end
      """)
  }

  @Test func `V4: held occurrences are sent at once when a vacation is ended early`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-05
      2026-03-03 12:00  back
      2026-03-03 12:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-03 13:00  end
      """)
  }

  @Test func `V4: after a vacation that ends in quiet hours, these hold its occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  quiet 22:00 07:00
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-05
      2026-03-04 02:00  back
      2026-03-04 07:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-04 13:00  end
      """)
  }

  /// A change of zone during the vacation does not move the end of the hold (rule V11). Ending the
  /// vacation early does.
  @Test func `V4: ending a vacation early ends its holds in any zone`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-05
      2026-03-03 10:00  zone America/New_York
      2026-03-04 12:00  back
      2026-03-04 12:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-06 13:00  end
      """)
  }

  @Test func `V4: the time to expiry of a held occurrence stops during the vacation`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-20
      2026-03-21 08:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-21 13:00  end
      """)
  }

  @Test func `V4: a vacation that is long over when it is reported changes nothing`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  quiet 22:00 07:00
      2026-03-02 08:00  > first-lesson-reminder
      2026-03-02 23:00  lesson 1
      2026-03-04 00:00  vacation 2026-02-10
      2026-03-04 07:00  > daily-lesson-reminder of 2026-03-03 23:00 (quiet_hours)
      2026-03-04 13:00  end
      """)
  }

  /// The windows of quiet hours in the next tests. The recipient's day begins at 07:00.
  private static let nights = """
    {"quietHours": {"enabled": true, "start": "20:00", "end": "02:00", \
    "windows": [{"start": "06:00", "end": "07:00"}]}}
    """

  /// The lesson waits for the end of a quiet window when the vacation is reported.
  @Test func `V4: a vacation reported after its last date holds nothing until the day starts`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  prefs \(Self.nights)
      2026-03-02 08:00  > first-lesson-reminder
      2026-03-02 23:00  lesson 1
      2026-03-04 01:00  vacation 2026-03-03
      2026-03-04 02:00  > daily-lesson-reminder of 2026-03-03 23:00 (quiet_hours)
      2026-03-04 13:00  end
      """)
  }

  @Test func `V4: a vacation reported after its last date drops no repeating occurrence`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off lesson
      2026-03-02 07:00  prefs \(Self.nights)
      2026-03-03 02:00  > daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)
      2026-03-04 01:00  vacation 2026-03-03
      2026-03-04 02:00  > daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours)
      2026-03-04 13:00  end
      """)
  }

  @Test func `V9: a vacation reported again after its last date releases nothing at night`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 07:00  off checkin
      2026-03-02 07:00  lesson 1
      2026-03-02 08:00  vacation 2026-03-03
      2026-03-04 00:30  vacation 2026-03-03
      2026-03-04 08:00  > daily-lesson-reminder of 2026-03-03 07:00 (vacation)
      2026-03-04 13:00  end
      """)
  }

  @Test func `V4: a vacation without an end lasts until its end is reported`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  off lesson
      2026-03-02 08:00  prefs {"vacation": {"mode": true}}
      2026-03-02 21:00  x daily-checkin-reminder (vacation)
      2026-03-03 09:00  milestone 7
      2026-03-03 10:00  back
      2026-03-03 10:00  > milestone-7 of 2026-03-03 09:00:01 (vacation)
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test(arguments: ["critical", "mandatory"])
  func `V3: critical and mandatory occurrences are sent during a vacation`(urgency: String) throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  vacation 2026-03-20
      2026-03-02 12:00  > note
      2026-03-02 13:00  end
      """, catalog: Fixtures.noteCatalog(urgency: urgency))
  }
}

extension String {
  /// Sorts the outcomes of one instant by reminder, as the diary does.
  var sortedOutcomes: String {
    let lines = split(separator: "\n").map(String.init)
    let isOutcome = { (line: String) in line.contains("  + ") || line.contains("  > ") }
    guard let first = lines.firstIndex(where: isOutcome),
      let last = lines.lastIndex(where: isOutcome)
    else { return self }
    let reminder = { (line: String) in line.split(separator: " ")[3] }
    let outcomes = lines[first...last].sorted { reminder($0) < reminder($1) }
    return (lines[..<first] + outcomes + lines[(last + 1)...]).joined(separator: "\n")
  }
}
