import CivilTime
import JSON
import Reminders
import Testing

/// Rule E5: repeated events are distinguished from conflicting events.
@Suite struct RepetitionTests {
  private let planner = Result { try Fixtures.planner() }

  /// Returns a request to notify the recipient at once.
  private func request(
    _ identifier: String, _ title: String, at time: String, of recipient: String = "u1",
    source: String = "app"
  ) throws -> Event {
    try EventReader(planner: planner.get()).event(
      [
        "specversion": "1.0", "id": .string(identifier), "source": .string(source),
        "type": "notification.requested", "subject": .string(recipient),
        "time": .string("2026-03-01T\(time):00Z"),
        "data": ["category": "LESSON", "title": .string(title), "body": "b"],
      ], now: nil)
  }

  /// Returns the recipients and titles of the requested notifications, and the refusals of events.
  private func run(_ events: [Event]) throws -> (titles: [String], refused: [String]) {
    let end = try #require(Instant("2026-03-01T20:00:00Z"))
    var simulation = Simulation(planner: try planner.get(), events: events, until: end)
    var titles: [String] = []
    try simulation.run { entries in
      titles += entries.filter { $0.message.category == "LESSON" && !$0.message.title.isEmpty }
        .map { "\($0.recipient) \($0.message.title)" }
    }
    return (
      titles.filter { !$0.contains("Start Your Journey") }, simulation.refused.map(\.description)
    )
  }

  @Test func `E5: a repeated event causes one notification`() throws {
    let event = try request("1", "a", at: "10:00")
    let (titles, refused) = try run([event, event, event])
    #expect(titles == ["u1 a"])
    #expect(refused == [])
  }

  @Test func `E5: the earliest of conflicting events counts`() throws {
    let (titles, refused) = try run([
      try request("1", "late", at: "11:00"), try request("2", "other", at: "12:00"),
      try request("1", "early", at: "10:00"),
    ])
    #expect(titles == ["u1 early", "u1 other"])
    #expect(
      refused == [
        "event \"1\" of \"app\": id was used before, at 2026-03-01T10:00:00.000Z for "
          + "notification.requested of \"u1\"; give every event an id of its own"
      ])
  }

  @Test func `E5: the same id for another recipient is a conflict`() throws {
    let (titles, refused) = try run([
      try request("1", "a", at: "10:00"), try request("1", "a", at: "10:00", of: "u2"),
    ])
    #expect(titles == ["u1 a"])
    #expect(refused.count == 1)
  }

  /// Texts that only look alike are different ids and different recipients.
  @Test func `E5: ids are compared by their bytes`() throws {
    let (titles, refused) = try run([
      try request("\u{e9}", "a", at: "10:00"), try request("e\u{301}", "b", at: "11:00"),
      try request("\u{e9}", "c", at: "12:00", source: "app2"),
      try request("3", "d", at: "13:00", of: "r\u{e9}"),
      try request("4", "e", at: "14:00", of: "re\u{301}"),
    ])
    #expect(titles.map { $0.suffix(1) } == ["a", "b", "c", "d", "e"])
    #expect(refused == [])
  }

  @Test func `E5: a refused event does not create its recipient`() throws {
    let reader = EventReader(planner: try planner.get())
    let event = try reader.event(
      [
        "specversion": "1.0", "id": "1", "source": "app", "type": "pending.cancelled",
        "subject": "u1", "time": "2026-03-01T10:00:00Z",
        "data": ["reminder": "relapse-recovery-reminder"],
      ], now: nil)
    let end = try #require(Instant("2026-03-05T00:00:00Z"))
    var simulation = Simulation(planner: try planner.get(), events: [event], until: end)
    var count = 0
    try simulation.run { count += $0.count }
    #expect(count == 0)
    #expect(simulation.refused.count == 1)
  }
}
