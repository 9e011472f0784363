import CivilTime
import JSON
import Reminders
import Testing

/// Rules V7 and N4: a pending occurrence is shown with the instant at which it will go out.
@Suite struct PendingTests {
  @Test func `N4: each reminder is shown once, in the order of delivery`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("lesson.completed", ["day": 3])
    try player.take("relapse", at: try utc("2026-03-02 08:00"))
    #expect(
      Self.pendingLines(player).prefix(5) == [
        "2026-03-02 21:00 daily-checkin-reminder", "2026-03-03 08:00 milestone-1",
        "2026-03-03 08:00 relapse-recovery-reminder", "2026-03-03 09:00 daily-lesson-reminder",
        "2026-03-05 08:00 milestone-3",
      ])
    #expect(Self.pendingLines(player).count == 16)
  }

  @Test func `N4: a reminder that is switched off is not pending`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("preferences.updated", ["master": false])
    #expect(Self.pendingLines(player).isEmpty)
  }

  @Test func `V7: an occurrence in quiet hours is shown at their end`() throws {
    let player = try Self.quietPlayer(at: "2026-03-02 12:00")
    #expect(
      Self.pendingLines(player) == [
        "2026-03-03 06:00 daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)"
      ])
  }

  @Test func `V7: a held occurrence is shown beside the reminder's next occurrence`() throws {
    let player = try Self.quietPlayer(at: "2026-03-02 22:00")
    #expect(
      Self.pendingLines(player) == [
        "2026-03-03 06:00 daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)",
        "2026-03-04 06:00 daily-checkin-reminder of 2026-03-03 21:00 (quiet_hours)",
      ])
  }

  @Test func `V7: a released occurrence names the gate that held it`() throws {
    var player = try Self.quietPlayer(at: "2026-03-02 22:00")
    try player.take("preferences.updated", ["quietHours": ["enabled": false]])
    #expect(
      Self.pendingLines(player) == [
        "2026-03-02 22:00 daily-checkin-reminder of 2026-03-02 21:00 (quiet_hours)",
        "2026-03-03 21:00 daily-checkin-reminder",
      ])
  }

  @Test func `V2: an occurrence that will expire is shown as dropped`() throws {
    var player = try Self.quietPlayer(at: "2026-03-02 12:00")
    try player.take("preferences.updated", ["quietHours": ["end": "10:00"]])
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    #expect(pending.map(\.decision.outcome) == [.dropped])
    #expect(pending.map(\.decision.trace.reasons) == [["quiet_hours", "expired"]])
  }

  @Test func `V6: a future digest is shown once, with the number of its members`() throws {
    var player = try Self.quietPlayer(at: "2026-03-02 20:30")
    for number in 1...2 {
      try player.take(
        "notification.requested",
        ["category": "CHECKIN", "title": .string("Note \(number)"), "body": "Read it."])
    }
    player.advance(to: try utc("2026-03-02 21:30"))
    let reminders = player.recipient.pendingReminders(now: player.now, planner: player.planner)
    let digest = try #require(reminders.digests.first)
    #expect(reminders.digests.count == 1)
    #expect(digest.firing.at == (try utc("2026-03-03 06:00")))
    #expect(digest.members.count == 3)
    #expect(reminders.pending.count { $0.decision.outcome == .bundled } == 3)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    #expect(context.message(of: digest.firing)?.title == "3 reminders")
  }

  /// Returns a recipient with a check-in at 21:00 and quiet hours from 20:00 to 06:00.
  private static func quietPlayer(at time: String) throws -> Player {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take(
      "preferences.updated",
      [
        "quietHours": ["enabled": true, "start": "20:00", "end": "06:00"],
        "reminders": ["lesson": ["enabled": false]],
      ])
    player.advance(to: try utc(time))
    return player
  }

  private static func pendingLines(_ player: Player) -> [String] {
    player.recipient.pending(now: player.now, planner: player.planner).map { pending in
      let name = player.planner.catalog.reminder(pending.reminder)?.identifier ?? "?"
      var text = "\(DiaryLine.format(pending.decision.at)) \(name)"
      if pending.decision.at != pending.planned {
        text += " of \(DiaryLine.format(pending.planned))"
      }
      let reasons = pending.decision.trace.reasons
      return reasons.isEmpty ? text : text + " (\(reasons.joined(separator: ", ")))"
    }.sorted()
  }
}
