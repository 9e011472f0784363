import JSON
import Reminders
import Testing

/// Rule N4: a recipient cancels one occurrence or the series, or snoozes one.
@Suite struct CommandTests {
  @Test func `N4: one occurrence is cancelled`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 1
      2026-03-02 10:00  cancel daily-checkin-reminder
      2026-03-02 10:00  cancel daily-lesson-reminder
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func `N4: a cancelled series stays ended until its group is switched on`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  stop daily-checkin-reminder
      2026-03-04 10:00  on checkin
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test func `N4: a cancelled occurrence is resumed`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 1
      2026-03-02 10:00  cancel daily-checkin-reminder
      2026-03-02 10:00  cancel daily-lesson-reminder
      2026-03-02 12:00  resume daily-checkin-reminder
      2026-03-02 12:00  resume daily-lesson-reminder
      2026-03-02 21:00  > daily-checkin-reminder
      2026-03-03 09:00  > daily-lesson-reminder
      2026-03-03 12:00  resume daily-lesson-reminder
      2026-03-03 12:00  ! data.reminder has no cancelled occurrence for this recipient; \
      set "series" to resume a whole series
      2026-03-03 13:00  end
      """)
  }

  @Test func `N4: a resumed overdue occurrence is sent at once unless it has expired`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 1
      2026-03-02 10:00  cancel daily-lesson-reminder
      2026-03-02 10:00  cancel daily-checkin-reminder
      2026-03-03 12:00  resume daily-lesson-reminder
      2026-03-03 12:00  > daily-lesson-reminder of 2026-03-03 09:00
      2026-03-03 12:30  resume daily-checkin-reminder
      2026-03-03 13:00  end
      """)
  }

  @Test func `N4: two cancelled occurrences that are resumed are both sent`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("lesson.completed", ["day": 30])
    let name: JSONValue = ["reminder": "daily-checkin-reminder"]
    for type in ["pending.cancelled", "pending.cancelled", "pending.resumed", "pending.resumed"] {
      try player.take(type, name)
    }
    player.advance(to: try utc("2026-03-04 09:00"))
    #expect(
      player.entries.map(\.at) == [try utc("2026-03-02 21:00"), try utc("2026-03-03 21:00")])
  }

  @Test func `N4: a cancelled series is resumed as a whole, and only once`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 09:00  on motivation
      2026-03-02 10:00  stop daily-checkin-reminder
      2026-03-02 10:00  stop morning-motivation
      2026-03-04 10:00  renew daily-checkin-reminder
      2026-03-04 10:30  renew daily-checkin-reminder
      2026-03-04 10:30  ! data.reminder has no cancelled series for this recipient
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 10:00  stop daily-checkin-reminder
      2026-03-05 22:00  end
      """)
  }

  @Test func `N4: cancelled occurrences are listed`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("lesson.completed", ["day": 1])
    func cancelledLines() -> [String] {
      player.recipient.cancelled(now: player.now, planner: player.planner).map { pending in
        let name = player.planner.catalog.reminder(pending.reminder)?.identifier ?? "?"
        return "\(DiaryLine.format(pending.decision.at)) \(name)"
      }
    }
    #expect(cancelledLines() == [])
    try player.take(
      "pending.cancelled", ["reminder": "daily-checkin-reminder", "series": true])
    try player.take("pending.cancelled", ["reminder": "daily-lesson-reminder"])
    #expect(
      cancelledLines() == [
        "2026-03-02 21:00 daily-checkin-reminder", "2026-03-03 09:00 daily-lesson-reminder",
      ])
    try player.restart()
    try player.take("pending.resumed", ["reminder": "daily-lesson-reminder"])
    try player.take("pending.resumed", ["reminder": "daily-checkin-reminder", "series": true])
    #expect(cancelledLines() == [])
  }

  @Test func `N4: a held occurrence can be cancelled`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  quiet 20:00 23:00
      2026-03-02 21:30  cancel daily-checkin-reminder
      2026-03-03 12:00  end
      """)
  }

  @Test func `N4: a snooze counts from the planned instant, and gates apply at its end`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 20:50  snooze daily-checkin-reminder 30m
      2026-03-02 21:30  > daily-checkin-reminder
      2026-03-03 12:00  quiet 22:00 06:00
      2026-03-03 20:50  snooze daily-checkin-reminder 110m
      2026-03-04 06:00  > daily-checkin-reminder of 2026-03-03 22:50 (quiet_hours)
      2026-03-04 20:00  snooze daily-checkin-reminder 24h
      2026-03-05 21:00  x daily-checkin-reminder (missed)
      2026-03-05 21:00  > daily-checkin-reminder
      2026-03-05 22:30  end
      """)
  }

  /// A recipient who travels west reaches the same evening twice; the reminder of that date is
  /// already finished.
  @Test func `T2: after a snooze past the next occurrence, a move west does not repeat that date`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 20:00  snooze daily-checkin-reminder 25h
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  > daily-checkin-reminder
      2026-03-03 22:30  zone America/New_York
      2026-03-05 02:00  > daily-checkin-reminder
      2026-03-05 12:00  end
      """)
  }

  @Test func `N4: a snooze never leads to an earlier instant`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 09:30  event pending.snoozed \
      {"reminder": "daily-checkin-reminder", "until": "2026-03-02T20:59:00Z"}
      2026-03-02 09:30  ! data.until is before 2026-03-02T21:00:00.000Z, the earliest possible \
      instant; choose a later one
      2026-03-02 10:00  snooze daily-checkin-reminder 2h
      2026-03-02 11:00  snooze daily-checkin-reminder 30m
      2026-03-02 23:30  > daily-checkin-reminder
      2026-03-03 12:00  end
      """)
  }

  /// The snooze counts from the planned instant, and never ends before the occurrence would be
  /// sent.
  @Test func `N4: a held occurrence is snoozed from its planned instant`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  quiet 20:00 23:00
      2026-03-02 22:30  snooze daily-checkin-reminder 1h
      2026-03-02 23:00  > daily-checkin-reminder
      2026-03-03 20:30  snooze daily-checkin-reminder 30m
      2026-03-03 22:30  snooze daily-checkin-reminder 3h
      2026-03-04 00:30  > daily-checkin-reminder
      2026-03-04 12:00  end
      """)
  }

  private static let nothingPending = "data.reminder has nothing pending for this recipient"

  @Test func `N4: a command for an occurrence that is not pending is refused`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  cancel first-lesson-reminder
      2026-03-02 10:00  ! \(Self.nothingPending); the reminders with pending occurrences are: \
      daily-checkin-reminder
      2026-03-02 11:00  end
      """)
  }

  /// Returns a request for a notification at noon.
  private static func noonRequest(_ title: String) -> String {
    let what = "\"category\": \"CHECKIN\", \"title\": \"\(title)\", \"body\": \"b\""
    return "say {\(what), \"at\": \"2026-03-02T12:00:00Z\"}"
  }

  @Test func `E2: a cancelled request is not sent`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  off checkin lesson
      2026-03-02 09:00  \(Self.noonRequest("t"))
      2026-03-02 10:00  unsay 2
      2026-03-02 10:00  unsay 5
      2026-03-02 10:30  \(Self.noonRequest("u"))
      2026-03-02 11:00  \(Self.noonRequest("v"))
      2026-03-02 12:00  > notification.requested "v"
      2026-03-02 13:00  end
      """)
  }
}
