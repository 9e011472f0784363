import JSON
import Testing

/// Rule T14: a snooze does not send a reminder beside its repetitions.
@Suite struct ChainSnoozeTests {
  private static let catalog = """
    catalog: asks
    events: {asked: {question: identifier}}
    categories: {ASK: {title: Questions, channels: {push: true, inapp: true}}}
    groups: {asks: {enabled: true}}
    reminders:
      ask:
        category: ASK
        group: asks
        on: {event: asked, delay: 1s}
        again: {every: 1d, times: 2}
        expires: 2d
        messages: [{title: A question, body: How are you?}]
    """

  /// A vacation holds all of them until one instant, which the snooze does not change.
  @Test func `T14: of repetitions that a snooze moves to one instant the last is sent`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let events = try Fixtures.events(
      [
        ("u1", "2026-01-12T09:37:00Z", "vacation.started", ["until": "2026-01-18"]),
        ("u1", "2026-01-13T08:23:00Z", "asked", ["question": "a"]),
        (
          "u1", "2026-01-18T10:18:00Z", "pending.snoozed",
          ["reminder": "ask+2", "for": "PT45M"]
        ),
      ], planner)
    let timeline = try Fixtures.timeline(events, planner, until: "2026-01-22T00:00:00Z")
    let delivered = timeline.filter { $0["outcome"] == "delivered" }
    #expect(delivered.map { $0["reminder"] } == ["ask+2", "ask+2"])
    #expect(delivered.map { $0["channel"] } == ["push", "inapp"])
  }
}
