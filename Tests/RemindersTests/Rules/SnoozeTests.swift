import CivilTime
import JSON
import Reminders
import Testing

/// Rule N7: a snooze is a state of the occurrence.
@Suite struct SnoozeTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {booked: {appointment: identifier, at: instant}, cancelled: {appointment: identifier},
        taken: {}, opened: {task: identifier}, done: {task: identifier}}
      """,
    reminders: [
      "visit": """
      before: {event: booked, at: at, by: 2h}, cancel: [cancelled], expires: 4h
      """,
      "pill": """
      every: {day: {at: "08:00"}}, unless: taken, again: {every: 30m, times: 3}, expires: 4h
      """,
      "task": "on: {event: opened, delay: 0s}, cancel: [done], expires: 4h",
    ])

  private static func expect(
    _ script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try Diary.expect(script, catalog: catalog, sourceLocation: sourceLocation)
  }

  private static func snoozeDelivered(_ reminder: String, _ key: Int64, until end: String) -> String
  {
    "event pending.snoozed {\"reminder\": \"\(reminder)\", \"occurrence\": \"\(key)\", "
      + "\"delivered\": true, \"until\": \"\(end)\"}"
  }

  @Test func `N4: a cancelled or moved appointment ends its snoozes`() throws {
    let book = "event booked {\"appointment\": \"a\", \"at\": "
    try Self.expect(
      """
      2026-03-02 06:00  event taken
      2026-03-02 09:00  \(book)"2026-03-02T20:00:00Z"}
      2026-03-02 10:00  snooze visit 30m
      2026-03-02 11:00  event cancelled {"appointment": "a"}
      2026-03-02 12:00  \(book)"2026-03-02T20:00:00Z"}
      2026-03-02 12:30  snooze visit 30m
      2026-03-02 13:00  \(book)"2026-03-09T20:00:00Z"}
      2026-03-03 06:00  event taken
      2026-03-03 12:00  end
      """)
  }

  @Test func `N4: a snooze after delivery ends with its entity`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 09:00"))
    try player.take("taken")
    for task in ["pay", "call"] { try player.take("opened", ["task": .string(task)]) }
    player.advance(to: player.now)
    #expect(player.entries.map(\.title) == ["Note", "Note"])
    for entry in player.entries {
      try player.take(
        "pending.snoozed",
        [
          "reminder": "task", "occurrence": .string("\(entry.key)"), "delivered": true,
          "for": "1h",
        ])
    }
    try player.restart()
    try player.take("done", ["task": "pay"])
    player.advance(to: try utc("2026-03-02 09:59"))
    #expect(player.entries.count == 2)
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(player.entries.count == 3)
    #expect(player.entries[2].at == (try utc("2026-03-02 10:00")))
    #expect(Set(player.entries[0...1].map(\.key)).contains(player.entries[2].key))
  }

  @Test func `N4: repetitions follow a snooze and end with it`() throws {
    try Self.expect(
      """
      2026-03-02 06:00  created
      2026-03-02 07:00  snooze pill 2h
      2026-03-02 10:00  > pill
      2026-03-02 10:30  > pill+1
      2026-03-02 10:40  event taken
      2026-03-03 08:00  > pill
      2026-03-03 08:10  \(Self.snoozeDelivered("pill", 20_515, until: "2026-03-03T09:10:00Z"))
      2026-03-03 09:10  > pill
      2026-03-03 09:40  > pill+1
      2026-03-03 10:10  > pill+2
      2026-03-03 10:20  \(Self.snoozeDelivered("pill+2", 20_515, until: "2026-03-03T11:00:00Z"))
      2026-03-03 11:00  > pill+2
      2026-03-03 11:30  > pill+3
      2026-03-03 12:00  end
      """)
  }

  @Test func `N4: a cancelled snooze is resumed at its end`() throws {
    try Self.expect(
      """
      2026-03-02 06:00  created
      2026-03-02 07:00  snooze pill 2h
      2026-03-02 08:30  cancel pill
      2026-03-02 09:00  resume pill
      2026-03-02 10:00  > pill
      2026-03-02 10:10  event taken
      2026-03-03 06:00  snooze pill 1h
      2026-03-03 06:30  stop pill
      2026-03-03 08:30  renew pill
      2026-03-03 09:00  > pill
      2026-03-03 09:10  event taken
      2026-03-03 12:00  end
      """)
  }

  @Test func `N4: a resumption applies to the first listed cancelled occurrence`() throws {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 09:00"))
    try player.take("lesson.completed", ["day": 30])
    for _ in 0..<3 { try player.take("pending.cancelled", ["reminder": "daily-checkin-reminder"]) }
    func cancelledInstants() -> [String] {
      player.recipient.cancelled(now: player.now, planner: player.planner)
        .map { DiaryLine.format($0.decision.at) }
    }
    #expect(cancelledInstants() == ["2026-03-02 21:00", "2026-03-03 21:00", "2026-03-04 21:00"])
    player.advance(to: try utc("2026-03-03 12:00"))
    #expect(cancelledInstants() == ["2026-03-03 21:00", "2026-03-04 21:00"])
    try player.take("pending.resumed", ["reminder": "daily-checkin-reminder"])
    #expect(cancelledInstants() == ["2026-03-04 21:00"])
    player.advance(to: try utc("2026-03-05 12:00"))
    #expect(player.entries.map { DiaryLine.format($0.at) } == ["2026-03-03 21:00"])
  }

  @Test func `N4: a snooze to the announced instant is refused`() throws {
    let limit = "leads to 2026-03-02T20:00:00.000Z, too late to be sent before the announced"
    try Self.expect(
      """
      2026-03-02 06:00  event taken
      2026-03-02 09:00  event booked {"appointment": "a", "at": "2026-03-02T20:00:00Z"}
      2026-03-02 10:00  snooze visit 2h
      2026-03-02 10:00  ! data.for \(limit) instant; choose an earlier one; the latest possible \
      instant is 2026-03-02T19:59:59.999Z
      2026-03-02 10:30  snooze visit 119m
      2026-03-02 19:59  > visit
      2026-03-02 20:30  end
      """)
  }

  @Test func `N4: a snooze that gates would hold for too long is refused`() throws {
    try Self.expect(
      """
      2026-03-02 06:00  event taken
      2026-03-02 08:00  quiet 19:00 22:00
      2026-03-02 09:00  event booked {"appointment": "a", "at": "2026-03-02T20:00:00Z"}
      2026-03-02 10:00  snooze visit 90m
      2026-03-02 10:00  ! data.for leads to 2026-03-02T19:30:00.000Z, too late to be sent before \
      the announced instant; choose an earlier one; the latest possible instant is \
      2026-03-02T18:59:59.999Z
      2026-03-02 10:30  snooze visit 30m
      2026-03-02 18:30  > visit
      2026-03-02 20:30  end
      """)
  }

  @Test func `N4: a dropped occurrence cannot be snoozed as delivered`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 09:00"))
    try player.take("taken")
    // The occurrence expires while quiet hours hold it.
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "08:00", "end": "20:00"]])
    try player.take("opened", ["task": "pay"])
    player.advance(to: try utc("2026-03-02 12:00"))
    let dropped = try #require(player.entries.first)
    #expect(dropped.outcome == .dropped)
    for (reminder, key) in [("task", dropped.key), ("pill", 20_514)] {
      #expect(throws: Refusal.self) {
        try player.take(
          "pending.snoozed",
          [
            "reminder": .string(reminder), "occurrence": .string("\(key)"), "delivered": true,
            "for": "1h",
          ])
      }
    }
  }

  @Test func `N4: an undelivered occurrence cannot be snoozed as delivered`() throws {
    try Self.expect(
      """
      2026-03-02 06:00  event taken
      2026-03-02 07:00  \(Self.snoozeDelivered("pill", 20_514, until: "2026-03-02T09:10:00Z"))
      2026-03-02 07:00  ! data.occurrence is not a delivered occurrence of this recipient \
      that can be snoozed
      2026-03-02 12:00  end
      """)
  }
}
