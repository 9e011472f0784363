import JSON
import Reminders
import Testing

/// Rule N4: a person cancels one occurrence, or the series, or wants it later.
@Suite struct CommandTests {
  @Test func n4OneOccurrenceIsCancelled() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 1
      2026-03-02 10:00  cancel daily-checkin-reminder
      2026-03-02 10:00  cancel daily-lesson-reminder
      2026-03-03 21:00  > daily-checkin-reminder
      2026-03-03 22:00  end
      """)
  }

  @Test func n4ASeriesEndsUntilItsGroupIsSwitchedOnAgain() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  stop daily-checkin-reminder
      2026-03-04 10:00  on checkin
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-04 22:00  end
      """)
  }

  @Test func n4WhatWasCancelledIsResumed() throws {
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
      2026-03-03 12:00  ! data.reminder names nothing that is cancelled for this recipient; \
      of a whole series say so
      2026-03-03 13:00  end
      """)
  }

  @Test func n4WhatIsResumedLateGoesAtOnceUnlessItHasExpired() throws {
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

  @Test func n4ASeriesIsResumedByItself() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 09:00  on motivation
      2026-03-02 10:00  stop daily-checkin-reminder
      2026-03-02 10:00  stop morning-motivation
      2026-03-04 10:00  renew daily-checkin-reminder
      2026-03-04 10:30  renew daily-checkin-reminder
      2026-03-04 10:30  ! data.reminder is a series that is not cancelled for this recipient
      2026-03-04 21:00  > daily-checkin-reminder
      2026-03-05 10:00  stop daily-checkin-reminder
      2026-03-05 22:00  end
      """)
  }

  @Test func n4WhatWasCancelledIsShown() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("lesson.completed", ["day": 1])
    func shown() -> [String] {
      player.recipient.cancelled(now: player.now, planner: player.planner).map { pending in
        let name = player.planner.catalog.reminder(pending.reminder)?.identifier ?? "?"
        return "\(DiaryLine.written(pending.decision.at)) \(name)"
      }
    }
    #expect(shown() == [])
    try player.take(
      "pending.cancelled", ["reminder": "daily-checkin-reminder", "series": true])
    try player.take("pending.cancelled", ["reminder": "daily-lesson-reminder"])
    #expect(
      shown() == [
        "2026-03-02 21:00 daily-checkin-reminder", "2026-03-03 09:00 daily-lesson-reminder",
      ])
    try player.restart()
    try player.take("pending.resumed", ["reminder": "daily-lesson-reminder"])
    try player.take("pending.resumed", ["reminder": "daily-checkin-reminder", "series": true])
    #expect(shown() == [])
  }

  @Test func n4WhatGatesHoldCanBeCancelled() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  quiet 20:00 23:00
      2026-03-02 21:30  cancel daily-checkin-reminder
      2026-03-03 12:00  end
      """)
  }

  @Test func n4ASnoozeCountsFromThePlannedInstantAndGatesFromItsEnd() throws {
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

  /// Who goes west meets the evening of the date again whose reminder has had its turn.
  @Test func t2WhatIsSnoozedBeyondTheNextDateDoesNotBringThatBack() throws {
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

  @Test func n4ASnoozeIsNeverToAnEarlierInstant() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 09:30  event pending.snoozed \
      {"reminder": "daily-checkin-reminder", "until": "2026-03-02T20:59:00Z"}
      2026-03-02 09:30  ! data.until is before 2026-03-02T21:00:00.000Z, for which it is planned; \
      give an instant after that
      2026-03-02 10:00  snooze daily-checkin-reminder 2h
      2026-03-02 11:00  snooze daily-checkin-reminder 30m
      2026-03-02 23:30  > daily-checkin-reminder
      2026-03-03 12:00  end
      """)
  }

  /// So much later than its planned instant, and never earlier than it would go.
  @Test func n4WhatGatesHoldIsPutOffFromItsPlannedInstant() throws {
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

  private static let nothing = "data.reminder has nothing pending for this recipient"

  @Test func n4WhatIsNotPendingIsRefused() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  lesson 30
      2026-03-02 10:00  cancel first-lesson-reminder
      2026-03-02 10:00  ! \(Self.nothing); pending are daily-checkin-reminder
      2026-03-02 11:00  end
      """)
  }

  /// A request for something to be said at noon.
  private static func noon(_ title: String) -> String {
    let what = "\"category\": \"CHECKIN\", \"title\": \"\(title)\", \"body\": \"b\""
    return "say {\(what), \"at\": \"2026-03-02T12:00:00Z\"}"
  }

  @Test func e2WhatIsTakenBackIsNotSaid() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  off checkin lesson
      2026-03-02 09:00  \(Self.noon("t"))
      2026-03-02 10:00  unsay 2
      2026-03-02 10:00  unsay 5
      2026-03-02 10:30  \(Self.noon("u"))
      2026-03-02 11:00  \(Self.noon("v"))
      2026-03-02 12:00  > notification.requested "v"
      2026-03-02 13:00  end
      """)
  }
}
