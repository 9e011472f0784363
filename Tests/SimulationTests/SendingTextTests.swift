import JSON
import Testing

/// The texts of the shipped catalogs for late reports and for moved reminders.
@Suite struct SendingTextTests {
  @Test func `G4: a trial reminder moved by a weekend has the right distance`() throws {
    let planner = try Fixtures.planner(catalog: Fixtures.text(of: "../config/catalogs/trials.yaml"))
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T08:00:00Z", "recipient.updated", ["timezone": "Europe/Berlin"]),
        (
          "u1", "2026-03-01T08:00:00Z", "preferences.updated",
          ["calendar": ["skipWeekends": true, "weekend": ["sun"]]]
        ),
        (
          "u1", "2026-03-01T09:00:00Z", "trial.started",
          ["trial": "a", "name": "Streaming", "ends": "2026-03-09T16:00:00Z"]
        ),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-10T00:00:00Z")
    let texts = lines.filter { $0["outcome"] == "delivered" }.map { line in
      [line["at"], line["body"]].compactMap { $0?.stringValue }.joined(separator: " ")
    }
    #expect(
      texts == [
        "2026-03-06T08:00:00.000Z Your Streaming trial ends in 3 days",
        "2026-03-07T22:45:00.000Z Your Streaming trial ends on Monday",
        "2026-03-09T08:00:00.000Z Your Streaming trial ends today, 2026-03-09 at 17:00",
        "2026-03-09T16:00:00.000Z Your Streaming trial has ended. Did you keep it?",
      ])
  }

  @Test func `G4: a late achievement names its distance in days`() throws {
    let planner = try Fixtures.planner(
      catalog: Fixtures.text(of: "../config/catalogs/wellness.yaml"))
    let events = try Fixtures.events(
      [
        (
          "u1", "2026-03-01T08:00:00Z", "preferences.updated",
          ["reminders": ["milestones": ["immediate": false]]]
        ),
        ("u1", "2026-03-02T09:00:00Z", "achievement.reached", ["name": "10 km"]),
        ("u1", "2026-03-02T10:00:00Z", "vacation.started", ["until": "2026-03-04"]),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-06T00:00:00Z")
    let texts = lines.filter { $0["reminder"] == "achievement-later" }
      .compactMap { $0["body"]?.stringValue }
    #expect(Set(texts) == ["You reached 10 km 3 days ago. Well done!"], "\(texts)")
  }

  @Test func `T13: a booking reported after all its leads is sent once on each channel`() throws {
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
    let deliveryLines = lines.map { line in
      ["at", "reminder", "channel"].compactMap { line[$0]?.stringValue }.joined(separator: " ")
    }
    #expect(
      deliveryLines.sorted() == [
        "2026-03-03T08:00:00.000Z appointment-reminder email",
        "2026-03-03T08:00:00.000Z appointment-reminder inapp",
        "2026-03-03T08:00:00.000Z appointment-reminder push",
      ])
  }
}
