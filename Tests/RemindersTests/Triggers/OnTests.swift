import CivilTime
import JSON
import Reminders
import Testing

/// Rule G1: reminders on an event, and some days after an event.
@Suite struct OnTests {
  /// The keys of entities are hashes, which have no useful order.
  @Test func `E4: occurrences of events at one instant go out in the order of the events`() throws {
    let names = (0..<12).map { "thing \($0)" }
    var player = Player(
      planner: try Fixtures.planner(
        catalog: Fixtures.catalog(
          events: "{seen: {thing: identifier}, heard: {thing: identifier}}",
          reminders: [
            "z-seen": """
            on: {event: seen, delay: 1s}, messages: [{title: "{{thing}}", body: "-"}]
            """,
            "a-heard": """
            on: {event: heard, delay: 1s}, messages: [{title: "{{thing}}", body: "-"}]
            """,
          ])), now: try utc("2026-03-02 09:00"))
    try player.take("preferences.updated", ["bundling": ["threshold": 0]])
    for (index, name) in names.enumerated() {
      try player.take(index.isMultiple(of: 3) ? "heard" : "seen", ["thing": .string(name)])
    }
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let messages = pending.compactMap { context.message(of: $0) }.filter { $0.reminder == "z-seen" }
    #expect(
      messages.map(\.title) == names.indices.filter { !$0.isMultiple(of: 3) }.map { names[$0] })
    let firings = player.recipient.simulatedFirings(
      from: player.now, through: player.now + .minutes(1), planner: player.planner)
    #expect(firings.compactMap { context.message(of: $0)?.title } == names)
  }

  private static let catalog = Fixtures.catalog(
    events: """
      {written: {message: identifier, by: text}, read: {message: identifier},
        posted: {topic: text, stars: number}, streak.kept: {}, streak.broken: {}}
      """,
    groups: "notes: {enabled: true, threshold: {number: [1, 30], initial: 3}}",
    reminders: [
      "message": """
      on: {event: written, delay: 1m}, cancel: read, \
      messages: [{title: "{{by}} has written", body: "-"}]
      """,
      "post": """
      on: {event: posted, delay: 0s}, messages: [{title: "{{topic}}: {{stars}}", body: "-"}]
      """,
      "streak": """
      after: {event: streak.kept, days: $threshold, at: "10:00"}, cancel: streak.broken, \
      messages: [{title: "{{days}} days", body: "-"}]
      """,
    ])

  @Test func `G1: each event has its own text`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event posted {"topic": "Sleep", "stars": 3}
      2026-03-02 07:00  > post "Sleep: 3"
      2026-03-02 07:00  event posted {"topic": "Food", "stars": 4}
      2026-03-02 07:00  > post "Food: 4"
      2026-03-02 08:00  event written {"message": "1", "by": "Ann"}
      2026-03-02 08:00  event written {"message": "2", "by": "Bo"}
      2026-03-02 08:00  event written {"message": "3", "by": "Cy"}
      2026-03-02 08:00  event read {"message": "2"}
      2026-03-02 08:01  > message "Ann has written"
      2026-03-02 08:01  > message "Cy has written"
      2026-03-02 09:00  event written {"message": "1", "by": "Ann"}
      2026-03-02 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `held occurrences are released and cancelled one by one`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 08:00  event written {"message": "1", "by": "Ann"}
      2026-03-02 08:10  event written {"message": "2", "by": "Bo"}
      2026-03-02 08:20  event posted {"topic": "Sleep", "stars": 3}
      2026-03-02 09:00  event read {"message": "1"}
      2026-03-02 09:30  restart
      2026-03-02 12:00  > message of 2026-03-02 08:11 (quiet_hours) "Bo has written"
      2026-03-02 12:00  > post of 2026-03-02 08:20 (quiet_hours) "Sleep: 3"
      2026-03-02 13:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T7: a late event has its notification unless it has expired`() throws {
    try Diary.expect(
      """
      2026-03-02 20:00  created
      2026-03-02 20:00  event posted {"topic": "Sleep", "stars": 3}  @ 2026-03-02 07:00
      2026-03-02 20:00  event posted {"topic": "Food", "stars": 3}  @ 2026-03-02 09:00
      2026-03-02 20:00  > post of 2026-03-02 09:00 "Food: 3"
      2026-03-02 21:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G2: days after an event are local dates`() throws {
    try Diary.expect(
      """
      2026-03-27 18:00  zone Europe/Berlin
      2026-03-27 23:30  event streak.kept
      2026-03-28 12:00  prefs {"reminders": {"notes": {"threshold": 2}}}
      2026-03-30 08:00  > streak "2 days"
      2026-04-01 12:00  event streak.kept
      2026-04-02 12:00  event streak.broken
      2026-04-09 12:00  end
      """, catalog: Self.catalog)
  }
}
