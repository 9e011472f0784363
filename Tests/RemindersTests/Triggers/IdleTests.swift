import CivilTime
import JSON
import Reminders
import Testing

/// Rule G1: reminders after days without events, with steps that add channels.
@Suite struct IdleTests {
  private static let catalog = Fixtures.catalog(
    events: "{opened: {}, logged: {}}",
    groups: "notes: {enabled: true, threshold: {number: [1, 30], initial: 3}, escalation: true}",
    reminders: [
      "away": """
      idle: {event: [opened, logged], days: $threshold, times: [1, 2, 4], \
      when: {escalation: true}, channels: [push, [push, email], [push, email, sms]]}, \
      messages: [{title: "{{days}} days", body: "-"}]
      """
    ])

  @Test func `G1: the steps continue until an event`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-05 07:00  > away-1 "3 days"
      2026-03-06 12:00  event opened
      2026-03-09 12:00  > away-1 "3 days"
      2026-03-12 12:00  > away-2 "6 days"
      2026-03-18 12:00  > away-4 "12 days"
      2026-04-30 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G1: without escalation there is one step`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event logged
      2026-03-02 08:00  prefs {"reminders": {"notes": {"escalation": false, "threshold": 2}}}
      2026-03-04 07:00  > away-1 "2 days"
      2026-03-05 07:00  prefs {"reminders": {"notes": {"threshold": 5}}}
      2026-04-30 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T3: a day without events is 24 elapsed hours`() throws {
    try Diary.expect(
      """
      2026-03-07 12:00  zone America/New_York
      2026-03-07 12:00  event opened
      2026-03-10 12:00  > away-1
      2026-03-11 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `E1: a late event that shows an earlier creation adds no idle period`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-05 07:00  > away-1
      2026-03-05 08:00  zone UTC  @ 2026-03-02 06:00
      2026-03-08 06:00  > away-2
      2026-03-09 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G1: each step has its channels`() throws {
    let catalog = try Fixtures.read(Self.catalog)
    let channels = catalog.reminders.map { $0.channels.channels }
    #expect(channels == [[.push], [.push, .email], [.push, .email, .sms]])
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 07:00"))
    try player.take("preferences.updated", ["categories": ["NOTE": ["push": false, "sms": true]]])
    player.advance(to: try utc("2026-04-01 00:00"))
    #expect(player.entries.map(\.reminder) == ["away-4"])
  }
}
