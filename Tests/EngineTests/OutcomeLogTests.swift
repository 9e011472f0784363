import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule M6: the log of outcomes of notifications.
@Suite struct OutcomeLogTests {
  /// Returns a service that sends a daily note at 12:00 by push and e-mail.
  ///
  /// - Parameter isOn: whether outcomes are logged.
  private func stage(isOn: Bool = true) throws -> Stage {
    let text = Fixtures.notes(channels: "push: true, email: true")
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    var routes = Routes(allTo: stage.sink.name)
    routes.logsOutcomes = isOn
    stage.routes = routes
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
    return stage
  }

  private func page(
    _ stage: Stage, after: Int64 = 0, limit: Int = 100
  ) throws -> (lines: [String], next: Int64) {
    let page = try stage.query(OutcomesQuery(after: after, limit: limit))
    let lines = page.records.map { record in
      let channels = record.values["channels"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let reasons = record.values["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let state = record.values["state"]?.stringValue ?? ""
      return ([record.recipient, state] + channels + reasons).joined(separator: " ")
    }
    return (lines, page.next)
  }

  @Test func `M6: decisions and states are listed in order`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-02 13:00")
    let id = try #require(stage.attempts.first).identifier
    try stage.take("notification.received", ["notification": .string(id)])
    try stage.take("notification.opened", ["notification": .string(id)])
    let all = try page(stage)
    #expect(
      all.lines == [
        "amina sent push email", "amina accepted push", "amina accepted email",
        "amina received push", "amina opened push email",
      ])
    #expect(try page(stage, after: all.next).lines == [])
    #expect(try page(stage, after: all.next).next == all.next)
  }

  @Test func `M6: a chosen action is listed with its name, after the opening`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-02 13:00")
    let id = try #require(stage.attempts.first).identifier
    let sent = try page(stage).next
    try stage.take("notification.opened", ["notification": .string(id), "action": "later"])
    let records = try stage.query(OutcomesQuery(after: sent, limit: 10)).records
    #expect(records.map { $0.values["state"] } == ["opened", "acted"])
    #expect(records.map { $0.values["action"] } == [nil, "later"])
    #expect(records.map(\.notification) == [id, id])
  }

  @Test func `M6: pages continue after their cursors, past other analytics events`() throws {
    let stage = try stage()
    try stage.take("preferences.updated", ["channels": ["sms": false]])
    try stage.run(to: "2026-03-02 13:00")
    var (lines, cursor) = ([String](), Int64(0))
    for _ in 1...4 {
      let singlePage = try page(stage, after: cursor, limit: 1)
      lines += singlePage.lines
      cursor = singlePage.next
    }
    #expect(lines == ["amina sent push email", "amina accepted push", "amina accepted email"])
  }

  @Test func `M6: holds and drops name their gates`() throws {
    let stage = try stage()
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "11:00", "end": "14:00"]])
    try stage.run(to: "2026-03-02 15:00")
    #expect(
      try page(stage).lines.prefix(2) == [
        "amina held push email quiet_hours", "amina sent push email quiet_hours",
      ])
  }

  @Test func `M6: failed deliveries are listed`() throws {
    let stage = try stage()
    stage.reply = { .success($0.map { _ in .rejected(reason: "no") }) }
    try stage.run(to: "2026-03-02 13:00")
    #expect(try page(stage).lines.dropFirst() == ["amina failed push", "amina failed email"])
  }

  @Test func `M6: outcomes are recorded only if the configuration enables it`() throws {
    let stage = try stage(isOn: false)
    try stage.run(to: "2026-03-02 13:00")
    #expect(try page(stage).lines == [])
  }

  @Test func `M6: an erasure in the same cycle leaves no outcome`() throws {
    let stage = try stage()
    stage.set(clock: try utc("2026-03-02 12:30"))
    try stage.take("recipient.deleted")
    try stage.run(to: "2026-03-02 13:00")
    let records = try stage.core().store.commit { try $0.analytics(of: nil, after: 0, limit: 9) }
    #expect(records.isEmpty)
    let count = try stage.database().read { try Int.fetchOne($0, sql: Self.countQuery) }
    #expect(count == 0)
  }

  private static let countQuery = "SELECT count(*) FROM analytics_event"
}
