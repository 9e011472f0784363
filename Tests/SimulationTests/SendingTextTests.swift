import JSON
import Testing

/// What the shipped catalogs send when something is reported late, or a text's instant moves.
@Suite struct SendingTextTests {
  @Test func `T7: a booking inside all leads is sent once on each channel`() throws {
    let planner = try Fixtures.planner(
      catalog: Fixtures.text(of: "../config/catalogs/wellness.yaml"))
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T08:00:00Z", "recipient.updated", ["timezone": "Europe/Berlin"]),
        (
          "u1", "2026-03-03T08:00:00Z", "appointment.booked",
          ["appointment": "a", "at": "2026-03-03T09:30:00Z", "provider": "Dr. B"]
        ),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-03T12:00:00Z")
      .filter { $0["category"] == "APPOINTMENTS" && $0["outcome"] == "delivered" }
    let sent = lines.map { line in
      ["at", "reminder", "channel"].compactMap { line[$0]?.stringValue }.joined(separator: " ")
    }
    #expect(
      sent.sorted() == [
        "2026-03-03T08:00:00.000Z appointment-reminder email",
        "2026-03-03T08:00:00.000Z appointment-reminder inapp",
        "2026-03-03T08:00:00.000Z appointment-reminder push",
      ])
  }
}
