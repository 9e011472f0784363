import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule M1: the analytics events of changed preferences and permissions.
@Suite struct AnalyticsTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func page(
    of recipient: String? = nil, after number: Int64 = 0, limit: Int = 100
  ) throws -> AnalyticsPage? {
    try stage.query(AnalyticsQuery(recipient: recipient, after: number, limit: limit))
  }

  private func eventLines(of recipient: String? = nil) throws -> [String] {
    try #require(try page(of: recipient)).records.map(\.line)
  }

  @Test func `M1: each changed switch writes an event`() throws {
    try stage.take(
      "preferences.updated",
      [
        "channels": ["email": false], "categories": ["LESSON": ["push": false]],
        "reminders": ["checkin": ["enabled": false]], "hints": ["badge": false],
      ])
    try stage.take("preferences.updated", ["categories": ["LESSON": ["push": true]]])
    let name = "amina notification_preference_changed"
    let eventLines = try eventLines()
    #expect(
      eventLines == [
        "\(name) {\"category\":\"email\",\"enabled\":false}",
        "\(name) {\"category\":\"in_app_badge\",\"enabled\":false}",
        "\(name) {\"category\":\"reminders_checkin\",\"enabled\":false}",
        "\(name) {\"category\":\"push_lesson\",\"enabled\":false}",
        "\(name) {\"category\":\"push_lesson\",\"enabled\":true}",
      ])
  }

  @Test func `M1: unchanged preferences write no event`() throws {
    try stage.take(
      "preferences.updated",
      ["channels": ["email": true], "reminders": ["checkin": ["time": "20:00"]]])
    try stage.take("relapse")
    #expect(try eventLines() == [])
    // A change that is older than the current value writes no event either.
    try stage.take("preferences.updated", ["master": false])
    try stage.take("preferences.updated", ["master": true], at: utc("2026-03-01 09:00"))
    #expect(try eventLines().count == 1)
  }

  @Test func `M1: quiet hours write an event with their times`() throws {
    let hours: JSONValue = ["quietHours": ["enabled": true, "start": "21:00", "end": "08:00"]]
    try stage.take("preferences.updated", hours)
    try stage.take("preferences.updated", ["quietHours": ["end": "07:30"]])
    try stage.take("preferences.updated", ["quietHours": ["enabled": false]])
    try stage.take("preferences.updated", ["quietHours": ["end": "06:00"]])
    #expect(
      try eventLines() == [
        "amina dnd_enabled {\"end_time\":\"08:00\",\"start_time\":\"21:00\"}",
        "amina dnd_enabled {\"end_time\":\"07:30\",\"start_time\":\"21:00\"}",
        "amina notification_preference_changed {\"category\":\"dnd\",\"enabled\":false}",
      ])
  }

  @Test func `M1: switching push on without permission writes a permission request`() throws {
    try stage.take("preferences.updated", ["channels": ["push": false]])
    try stage.take("preferences.updated", ["channels": ["push": true]])
    try stage.take("permission.changed", ["channel": "push", "status": "granted"])
    try stage.take("permission.changed", ["channel": "push", "status": "granted"])
    try stage.take("preferences.updated", ["channels": ["push": false]])
    try stage.take("preferences.updated", ["channels": ["push": true]])
    try stage.take("permission.changed", ["channel": "push", "status": "denied"])
    let name = "amina notification_preference_changed"
    let change = { (isOn: Bool) in "\(name) {\"category\":\"push\",\"enabled\":\(isOn)}" }
    #expect(
      try eventLines() == [
        change(false), change(true),
        "amina push_permission_requested {\"source\":\"notification_settings\"}",
        "amina push_permission_status {\"granted\":true}",
        change(false), change(true), "amina push_permission_status {\"granted\":false}",
      ])
  }

  @Test func `M1: events are read by recipient, and all in order`() throws {
    for (index, name) in ["amina", "bilal", "amina", "bilal", "amina"].enumerated() {
      try stage.take("preferences.updated", ["master": .bool(index / 2 % 2 == 1)], of: name)
    }
    #expect(try page(of: "amina")?.records.count == 3)
    #expect(try page(of: "nobody") == nil)
    let first = try #require(try page(limit: 2))
    #expect(first.records.map(\.number) == [1, 2] && first.hasMore)
    let secondPage = try #require(try page(after: 2, limit: 3))
    #expect(secondPage.records.map(\.number) == [3, 4, 5] && !secondPage.hasMore)
  }

  @Test func `M1: the event is on disk together with the change`() throws {
    try stage.take("preferences.updated", ["master": false])
    try stage.crash()
    #expect(try eventLines().count == 1)
  }
}

extension AnalyticsRecord {
  fileprivate var line: String {
    "\(recipient) \(event.name) \(String(decoding: event.parameters, as: UTF8.self))"
  }
}
