import CivilTime
import Foundation
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule H4: an erased recipient leaves no trace in the state directory.
@Suite struct ErasureTests {
  let stage: Stage

  /// Texts that occur only in the erased recipient's data.
  private static let canaries = [
    "canary-id", "canary-event", "canary-source", "Antarctica/Troll", "canary@example.com",
    "+4915112345", "canary-token", "canary-device", "canary-name", "canary-title", "canary-body",
    "canary-link", "canary-reason",
  ]

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func take(_ type: String, _ data: JSONValue, _ identifier: String) throws {
    let event = try EventReader(planner: stage.planner).event(
      [
        "specversion": "1.0", "id": .string("canary-event-\(identifier)"),
        "source": "canary-source", "type": .string(type), "subject": "canary-id",
        "time": .string(stage.now.description), "data": data,
      ], now: stage.now)
    #expect(try stage.submit([event]).map(\.word) == ["accepted"])
  }

  /// Writes every canary into one recipient's data, beside 40 other recipients.
  private func plant() throws {
    for number in 0..<40 { try stage.take("relapse", of: "u\(number)") }
    try take(
      "recipient.updated",
      [
        "timezone": "Antarctica/Troll", "email": "canary@example.com", "phone": "+4915112345",
        "name": "canary-name",
      ], "1")
    try take(
      "device.registered",
      ["deviceId": "canary-device", "platform": "ios", "token": "canary-token"], "2")
    try take("preferences.updated", ["master": true, "channels": ["email": false]], "3")
    for number in 4..<8 {
      try take(
        "notification.requested",
        [
          "category": "LESSON", "title": "canary-title", "body": "canary-body",
          "deepLink": "canary-link",
          "at": .string((stage.now + .hours(number)).description),
        ], "\(number)")
    }
    stage.reply = { batch in
      .success(
        batch.map {
          $0.title == "canary-title" ? .retry(after: nil, reason: "canary-reason") : .delivered
        })
    }
    try stage.run(to: "2026-03-02 14:30")
    for number in 0..<40 { try stage.take("lesson.completed", ["day": 1], of: "u\(number)") }
  }

  /// Returns the canaries in the state directory, each with its file.
  private func foundCanaries() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: stage.directory.path).sorted()
      .flatMap { name in
        let content = try Data(
          contentsOf: URL(filePath: stage.directory.path + "/" + name))
        return Self.canaries.filter { content.range(of: Data($0.utf8)) != nil }
          .map { "\($0) in \(name)" }
      }
  }

  @Test func `H4: an occurrence whose hold ends in the cycle of an erasure is not sent`() throws {
    let window: JSONValue = ["enabled": true, "start": "20:00", "end": "23:00"]
    for name in ["amina", "bilal"] {
      try stage.take("preferences.updated", ["quietHours": window], of: name)
    }
    try stage.run(to: "2026-03-02 21:30")
    #expect(stage.attempts.isEmpty)
    func event(_ type: String, _ data: JSONValue, of name: String) throws -> Event {
      try Fixtures.event(
        "\(type) \(name)", type, of: name, at: stage.now, data, planner: stage.planner)
    }
    let off: JSONValue = ["quietHours": ["enabled": false]]
    let events = [
      try event("preferences.updated", off, of: "amina"),
      try event("preferences.updated", off, of: "bilal"),
      try event("recipient.deleted", [:], of: "amina"),
    ]
    #expect(try stage.submit(events).map(\.word) == Array(repeating: "accepted", count: 3))
    try stage.run(to: "2026-03-02 21:31")
    #expect(stage.attempts.map(\.recipient) == ["bilal"])
  }

  @Test func `H4: no canary is left after an erasure`() throws {
    try plant()
    let planted = try foundCanaries()
    for canary in Self.canaries {
      #expect(planted.contains { $0.hasPrefix(canary) }, "\(canary) was not planted")
    }
    try stage.take("recipient.deleted", of: "canary-id")
    #expect(try foundCanaries() == [])
    try stage.run(to: "2026-03-03 22:00")
    try stage.core().store.shutDown()
    #expect(try foundCanaries() == [])
    try stage.restart()
    #expect(try foundCanaries() == [])
    #expect(try stage.status().recipients == 40)
  }

  @Test func `H4: a delivery in flight at an erasure leaves no trace`() throws {
    stage.reply = nil
    try take("recipient.updated", ["name": "canary-name"], "1")
    try take(
      "notification.requested",
      ["category": "LESSON", "title": "canary-title", "body": "canary-body"], "2")
    try stage.run(to: stage.now)
    try stage.take("recipient.deleted", of: "canary-id")
    stage.reply = { .success($0.map { _ in .rejected(reason: "canary-reason") }) }
    try stage.answer()
    try stage.core().store.shutDown()
    #expect(try foundCanaries() == [])
  }

  @Test func `H4: an erased recipient's waiting deliveries are not sent`() throws {
    for name in ["amina", "bilal"] { try stage.take("relapse", of: name) }
    stage.reply = nil
    try stage.take("milestone.reached", ["days": 7], of: "bilal")
    try stage.run(to: stage.now + .seconds(2))
    try stage.take("milestone.reached", ["days": 7], of: "amina")
    try stage.take("milestone.reached", ["days": 14], of: "bilal")
    try stage.run(to: stage.now + .seconds(2))
    try stage.take("recipient.deleted", of: "amina")
    stage.reply = Stage.accepting
    try stage.answer()
    try stage.run(to: stage.now + .seconds(10))
    #expect(stage.delivered.map(\.recipient) == ["bilal", "bilal"])
    #expect(try stage.status().lanes.first?.waiting == 0)
  }

  @Test func `H4: events older than an erasure are refused, others bring the recipient back`()
    throws
  {
    try stage.take("relapse")
    let erasure = stage.now
    try stage.take("recipient.deleted")
    let late = try stage.take("relapse", at: erasure - .milliseconds(1))
    #expect(late.word.hasPrefix("refused: time is before 2026-03-02T09:00:00.000Z"))
    #expect(try stage.agenda() == nil)
    #expect(try stage.take("relapse", at: erasure).word == "accepted")
    #expect(try stage.agenda() != nil)
    // Older events are refused for the returned recipient too, even after a restart.
    try stage.restart()
    #expect(try stage.take("relapse", at: erasure - .days(1)).word.hasPrefix("refused"))
    #expect(try stage.take("relapse", of: "bilal", at: erasure - .days(1)).word == "accepted")
  }
}
