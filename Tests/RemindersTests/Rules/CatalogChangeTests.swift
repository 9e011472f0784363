import JSON
import Reminders
import Testing

/// Rule T5: a catalog may change in any way between two runs of the service.
@Suite struct CatalogChangeTests {
  @Test func t5WhatIsHeldOfAReminderThatIsGoneKeepsNobodyBusy() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog()),
      now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "13:00"]])
    player.advance(to: try utc("2026-03-02 12:30"))
    #expect(player.recipient.progress.underWay.count == 1)
    // The service was stopped, and starts with another catalog.
    let other = try Fixtures.planner(catalog: Fixtures.noteCatalog(reminder: "other"))
    var recipient = player.recipient
    let now = try utc("2026-03-02 14:00")
    let schedule = recipient.fire(now: now, planner: other).schedule
    #expect(try #require(schedule.due) > now)
  }

  @Test func t5AReminderMayBecomeOneOfAnotherKind() throws {
    let daily = Fixtures.noteCatalog()
    let once = daily.replacing(
      "every: {week: {on: $days, at: $time}}", with: "after: {event: relapse, delay: 1h}")
    try Diary.expect(
      """
      2026-03-02 09:00  relapse
      2026-03-02 10:00  > note
      2026-03-02 11:00  catalog daily
      2026-03-02 12:00  > note
      2026-03-03 12:00  > note
      2026-03-03 13:00  relapse
      2026-03-03 13:30  catalog once
      2026-03-03 14:00  > note
      2026-03-03 15:00  catalog daily
      2026-03-04 12:00  > note
      2026-03-04 13:00  end
      """, catalog: once, alternatives: ["daily": daily, "once": once])
  }

  @Test func t5AParameterMayBecomeOneOfAnotherKind() throws {
    let counted = Fixtures.noteCatalog()
      .replacing("days: [mon, tue, wed, thu, fri, sat, sun]", with: "days: 128")
      .replacing("every: {week: {on: $days, at: $time}}", with: "every: {day: {at: $time}}")
    try Diary.expect(
      """
      2026-03-02 09:00  prefs {"reminders":{"notes":{"days":128}}}
      2026-03-02 12:00  > note
      2026-03-02 13:00  catalog days
      2026-03-04 13:00  end
      """, catalog: counted, alternatives: ["days": Fixtures.noteCatalog()])
  }
}
