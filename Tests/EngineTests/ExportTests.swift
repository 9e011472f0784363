import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// Rule H4: an export contains all that is stored.
@Suite struct ExportTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func export(_ name: String = "amina") throws -> (
    events: [PastEvent], notifications: [RecordedNotification]
  ) {
    var events: [PastEvent] = []
    var notifications: [RecordedNotification] = []
    var cursor: ExportPage.Cursor? = .events(from: nil)
    while let next = cursor {
      let page = try #require(try stage.query(ExportQuery(of: name, next)))
      events += page.events
      notifications += page.notifications
      cursor = page.next
    }
    return (events, notifications)
  }

  @Test func `H4: events are exported from the latest to the first`() throws {
    for number in 0..<1_203 { try stage.take("relapse", id: "\(number)") }
    try stage.take("relapse", of: "bilal")
    let events = try export().events
    #expect(events.map(\.identifier) == (0..<1_203).reversed().map(String.init))
    #expect(events.allSatisfy { $0.type == "relapse" && $0.source == "test" })
    #expect(try export("bilal").events.count == 1)
  }

  @Test func `H4: notifications are exported with their gates and retries`() throws {
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]])
    try stage.take("relapse", of: "bilal")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 22:01")
    let notifications = try export().notifications
    let checkin = try #require(
      notifications.first { $0.message.reminder == "daily-checkin-reminder" })
    #expect(checkin.outcome == .delivered && checkin.trace.hasHeld(.quietHours))
    #expect("\(checkin.at)" == "2026-03-02T22:00:00.000Z")
    #expect(checkin.retries.map(\.reason) == ["busy"] && checkin.retries.map(\.sink) == ["test"])
    #expect(stage.attempts.map(\.identifier).contains(checkin.identifier))
  }

  @Test func `H4: the export of an unknown recipient is nil`() throws {
    let page = try stage.query(ExportQuery(of: "nobody", .events(from: nil)))
    #expect(page?.events.count == nil)
  }
}
