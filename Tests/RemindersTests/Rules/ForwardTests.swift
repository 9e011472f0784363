import Testing

/// Rules V9 and V10: reminders that are bound to an instant, and the start of a day.
@Suite struct ForwardTests {
  private static let visits = Fixtures.catalog(
    events: "{visit: {visit: identifier, at: instant}}",
    reminders: ["ahead": "before: {event: visit, at: at, by: 2h}"])

  private static func visits(early: String) -> String {
    Fixtures.catalog(
      events: "{visit: {visit: identifier, at: instant}}",
      reminders: ["ahead": "before: {event: visit, at: at, by: 2h}, early: \(early)"])
  }

  private static func visit(_ at: String) -> String {
    "event visit {\"visit\": \"v\", \"at\": \"\(at):00Z\"}"
  }

  @Test
  func `V10: a reminder that quiet hours would hold past its instant is sent a minute before them`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 21:59  > ahead of 2026-03-03 04:30 (quiet_hours)
      2026-03-02 22:30  quiet 23:00 23:30
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  private static let leads = Fixtures.catalog(
    events: "{visit: {visit: identifier, at: instant}}",
    reminders: ["ahead": "before: {event: visit, at: at, by: [6h, 4h, 2h]}"])

  @Test func `V6: of an event's leads brought forward to one instant, only the latest is sent`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 20:00 09:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T08:00"))
      2026-03-02 15:00  event visit {"visit": "w", "at": "2026-03-03T04:00:00Z"}
      2026-03-02 19:59  x ahead of 2026-03-02 22:00 (missed)
      2026-03-02 19:59  x ahead of 2026-03-03 00:00 (missed)
      2026-03-02 19:59  x ahead of 2026-03-03 02:00 (missed)
      2026-03-02 19:59  > ahead of 2026-03-03 02:00 (quiet_hours)
      2026-03-02 19:59  x ahead of 2026-03-03 04:00 (missed)
      2026-03-02 19:59  > ahead of 2026-03-03 06:00 (quiet_hours)
      2026-03-02 21:00  restart
      2026-03-02 22:00  quiet 23:00 23:30
      2026-03-03 09:00  end
      """, catalog: Self.leads)
  }

  @Test func `V6: of an event's leads held until one instant, only the latest is sent`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 20:00 09:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T10:00"))
      2026-03-03 09:00  x ahead of 2026-03-03 04:00 (quiet_hours, missed)
      2026-03-03 09:00  x ahead of 2026-03-03 06:00 (quiet_hours, missed)
      2026-03-03 09:00  > ahead of 2026-03-03 08:00 (quiet_hours)
      2026-03-03 12:00  end
      """, catalog: Self.leads)
  }

  @Test func `V10: a reminder planned at the start of quiet hours is sent early`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T00:00"))
      2026-03-02 21:59  > ahead of 2026-03-02 22:00 (quiet_hours)
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  @Test func `V10: a reminder planned for the midnight at which a rest day starts is sent early`()
    throws
  {
    try Diary.expect(
      """
      2026-03-05 09:00  prefs {"calendar": {"skipWeekends": true}}
      2026-03-05 15:00  \(Self.visit("2026-03-07T02:00"))
      2026-03-06 23:59  > ahead of 2026-03-07 00:00 (calendar)
      2026-03-07 09:00  end
      """, catalog: Self.visits)
  }

  @Test
  func `V10: a reminder whose event comes in the last minute before quiet hours is sent at once`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 21:59:30  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 21:59:30  > ahead of 2026-03-03 04:30 (quiet_hours)
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  // MARK: - The key `early`

  @Test
  func `V10: the catalog key early sets how long before the gates close the reminder is sent`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 21:45  > ahead of 2026-03-03 04:30 (quiet_hours)
      2026-03-03 09:00  end
      """, catalog: Self.visits(early: "15m"))
  }

  @Test func `V10: a downtime that ends before the gates close loses nothing`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 21:58  jump
      2026-03-02 21:58  > ahead of 2026-03-03 04:30 (quiet_hours)
      2026-03-03 09:00  end
      """, catalog: Self.visits(early: "15m"))
  }

  @Test(arguments: ["22:01", "23:59"])
  func `V10: a reminder is missed if a downtime ends after the gates closed`(returnTime: String)
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 \(returnTime)  jump
      2026-03-02 \(returnTime)  x ahead of 2026-03-03 04:30 (quiet_hours, missed)
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  @Test(arguments: ["06:00", "08:00"])
  func `V10: a reminder is missed if a downtime ends after its planned time`(returnTime: String)
    throws
  {
    let reasons = returnTime == "06:00" ? "quiet_hours, missed" : "missed"
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-03 \(returnTime)  jump
      2026-03-03 \(returnTime)  x ahead of 2026-03-03 04:30 (\(reasons))
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  @Test func `V10: a booking in quiet hours is too late for an early reminder`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 22:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-03 04:30  x ahead (quiet_hours, expired)
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  @Test func `V10: an early reminder does not wait for the cap but counts toward it`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  quiet 22:00 07:00
      2026-03-02 09:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 09:30  say {"category": "NOTE", "title": "t", "body": "b"}
      2026-03-02 09:30  > notification.requested
      2026-03-02 15:00  \(Self.visit("2026-03-03T06:30"))
      2026-03-02 21:59  > ahead of 2026-03-03 04:30 (quiet_hours)
      2026-03-03 09:00  end
      """, catalog: Self.visits)
  }

  @Test func `V9: the day starts at the end of quiet hours, otherwise at dayStart`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  prefs {"caps": {"perDay": 1}, "dayStart": "09:45"}
      2026-03-02 09:30  say {"category": "NOTE", "title": "t", "body": "b"}
      2026-03-02 09:30  > notification.requested
      2026-03-02 10:00  say {"category": "NOTE", "title": "t", "body": "b", "expires": "3d"}
      2026-03-03 09:45  > notification.requested of 2026-03-02 10:00 (daily_cap)
      2026-03-03 10:00  quiet 22:00 06:30
      2026-03-03 11:00  say {"category": "NOTE", "title": "t", "body": "b", "expires": "3d"}
      2026-03-04 06:30  > notification.requested of 2026-03-03 11:00 (daily_cap)
      2026-03-04 10:00  end
      """, catalog: Self.visits)
  }
}
