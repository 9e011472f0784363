import JSON
import Testing

/// The event `recipient.deleted` removes all facts of a recipient.
@Suite struct ErasureTests {
  @Test func `a deleted recipient gets no notification`() throws {
    let planner = try Fixtures.planner()
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T10:00:00Z", "lesson.completed", ["day": 3]),
        ("u1", "2026-03-01T22:00:00Z", "recipient.deleted", [:]),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-10T00:00:00Z")
    #expect(lines.map { $0["at"] } == ["2026-03-01T21:00:00.000Z"])
  }

  @Test func `a deleted recipient who returns starts without facts`() throws {
    let planner = try Fixtures.planner()
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T10:00:00Z", "lesson.completed", ["day": 3]),
        ("u1", "2026-03-01T22:00:00Z", "recipient.deleted", [:]),
        ("u1", "2026-03-05T10:00:00Z", "recipient.updated", ["name": "Amina"]),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-06T09:00:00Z")
    let laterReminders = lines.dropFirst().map { $0["reminder"] }
    #expect(laterReminders == ["daily-checkin-reminder", "first-lesson-reminder"])
  }
}
