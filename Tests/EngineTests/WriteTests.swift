import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule P5: a write takes effect at once and is answered with its consequences.
@Suite struct WriteTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["timezone": "UTC"])
  }

  private func write(_ type: String, _ data: JSONValue) throws -> [Consequences.Change] {
    let event = try Fixtures.event(
      "write \(type)", type, of: "amina", at: stage.now, data, planner: stage.planner)
    let answer = AnswerBox<WriteReceipt>()
    try stage.turn([.write(Write(events: [event]), answer.take)])
    guard case .done(let consequences, _) = try answer.value() else { return [] }
    return consequences.changes
  }

  private static let off: JSONValue = ["reminders": ["checkin": ["enabled": false]]]
  private static let on: JSONValue = ["reminders": ["checkin": ["enabled": true]]]

  @Test func `P5: an event from an app's fast clock does not undo a later write`() throws {
    try stage.take("preferences.updated", Self.off, at: utc("2026-03-02 09:08"))
    #expect(try write("preferences.updated", Self.on).map(\.kind) == [.added])
    try stage.run(to: "2026-03-02 22:00")
    #expect(stage.delivered.map(\.reminder) == ["daily-checkin-reminder"])
  }

  @Test func `P5: an event from a clock that was ahead does not undo later writes`() throws {
    try stage.jump(to: "2026-03-03 09:00")
    try stage.take("preferences.updated", Self.on)
    try stage.jump(to: "2026-03-02 09:30")
    #expect(try write("preferences.updated", Self.off).map(\.kind).contains(.cancelled))
    let previousCount = stage.attempts.count
    try stage.run(to: "2026-03-02 22:00")
    #expect(stage.attempts[previousCount...].allSatisfy { $0.reminder != "daily-checkin-reminder" })
  }

  @Test func `N4: an event from a fast clock does not undo the end of a series`() throws {
    try stage.take("preferences.updated", Self.on, at: utc("2026-03-02 09:08"))
    let changes = try write(
      "pending.cancelled", ["reminder": "daily-checkin-reminder", "series": true])
    #expect(changes.map(\.kind) == [.cancelled])
    try stage.run(to: "2026-03-02 22:00")
    #expect(stage.delivered.isEmpty)
  }

  private func snooze(
    _ identifier: String, _ answer: AnswerBox<WriteReceipt>, as event: String = "again"
  ) throws -> Request {
    let event = try Fixtures.event(
      event, "pending.snoozed", of: "amina", at: stage.now,
      [
        "reminder": "daily-checkin-reminder", "occurrence": "20514", "delivered": true,
        "until": "2026-03-03T00:00:00Z",
      ], planner: stage.planner)
    return .write(Write(events: [event], dismissed: identifier), answer.take)
  }

  @Test func `N4: a delivered notification is dismissed and snoozed, or neither`() throws {
    try stage.run(to: "2026-03-02 22:00")
    let notification = try #require(try stage.history()?.entries.first?.identifier)
    try Sabotage.intake.begin(in: stage.directory)
    #expect(throws: StoreError.self) {
      try stage.core().turn([snooze(notification, AnswerBox())], now: stage.now)
    }
    try Sabotage.end(in: stage.directory)
    try stage.restart()
    #expect(try stage.history()?.entries.map(\.identifier) == [notification])
    try stage.turn([snooze(notification, AnswerBox())])
    #expect(try stage.history()?.entries.isEmpty == true)
    try stage.run(to: "2026-03-03 01:00")
    let entries = try #require(try stage.history()?.entries)
    #expect(entries.map(\.message.reminder) == ["daily-checkin-reminder"])
    #expect(entries.map(\.identifier) != [notification])
  }

  @Test func `N4: an event that snoozes a delivered notification dismisses it`() throws {
    try stage.run(to: "2026-03-02 22:00")
    let notification = try #require(try stage.history()?.entries.first?.identifier)
    let data: JSONValue = [
      "reminder": "daily-checkin-reminder", "occurrence": "20514", "delivered": true, "for": "1h",
    ]
    #expect(try stage.take("pending.snoozed", data).word == "accepted")
    #expect(try stage.history()?.entries.isEmpty == true)
    try stage.restart()
    try stage.run(to: "2026-03-02 22:59")
    #expect(try stage.history()?.entries.isEmpty == true)
    try stage.run(to: "2026-03-02 23:01")
    let entries = try #require(try stage.history()?.entries)
    #expect(entries.map(\.message.reminder) == ["daily-checkin-reminder"])
    #expect(entries.map(\.identifier) != [notification])
  }

  @Test func `N8: a snooze ends the retries of the earlier round`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", channels: "push: true, inapp: true"),
      at: "2026-03-02 09:00")
    stage.reply = Self.busy
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 10:01")
    stage.reply = Stage.accepting
    #expect(try stage.take("pending.snoozed", Self.snoozeData).word == "accepted")
    try stage.run(to: "2026-03-02 11:00")
    #expect(!stage.delivered.contains { $0.channel == .push })
    try stage.run(to: "2026-03-02 11:02")
    #expect(stage.delivered.count { $0.channel == .push } == 1)
  }

  private static let snoozeData: JSONValue = [
    "reminder": "note", "occurrence": "20514", "delivered": true, "for": "1h",
  ]

  private static let busy: Stage.Reply = {
    .success(
      $0.map { $0.channel == .push ? .retry(after: .minutes(10), reason: "busy") : .delivered })
  }

  @Test func `N8: deliveries of the new round are retried`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", channels: "push: true, inapp: true"),
      at: "2026-03-02 09:00")
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 10:01")
    #expect(try stage.take("pending.snoozed", Self.snoozeData).word == "accepted")
    stage.reply = Self.busy
    try stage.run(to: "2026-03-02 11:02")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 11:20")
    #expect(stage.delivered.count { $0.channel == .push } == 2)
  }

  @Test func `N8: a snooze ends the retries of a requested notification`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: "push: true, inapp: true"), at: "2026-03-02 13:00")
    stage.reply = Self.busy
    try stage.take(
      "notification.requested", ["category": "NOTE", "title": "Hello", "body": "You."])
    try stage.run(to: "2026-03-02 13:01")
    stage.reply = Stage.accepting
    let key = try #require(stage.attempts.last).key
    let data: JSONValue = [
      "reminder": "notification.requested NOTE", "occurrence": .string("\(key)"),
      "delivered": true, "for": "1h",
    ]
    #expect(try stage.take("pending.snoozed", data).word == "accepted")
    try stage.run(to: "2026-03-02 14:00")
    #expect(!stage.delivered.contains { $0.channel == .push })
    try stage.run(to: "2026-03-02 14:02")
    #expect(stage.delivered.count { $0.channel == .push } == 1)
  }

  @Test func `N8: if two rounds wait for one sink, only the later round is sent`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", channels: "push: true, inapp: true"),
      at: "2026-03-02 09:00")
    try stage.take("relapse")
    stage.reply = Stage.failing
    try stage.run(to: "2026-03-02 10:01")
    #expect(try stage.take("pending.snoozed", Self.snoozeData).word == "accepted")
    try stage.run(to: "2026-03-02 11:05")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.delivered.count { $0.channel == .push } == 1)
  }

  @Test func `N8: a snooze dismisses the delivered repetitions too`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", trigger: "again: {every: 30m, times: 1}"),
      at: "2026-03-02 09:00")
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 10:31")
    #expect(try stage.history()?.entries.count == 2)
    #expect(try stage.take("pending.snoozed", Self.snoozeData).word == "accepted")
    #expect(try stage.history()?.entries.isEmpty == true)
    try stage.run(to: "2026-03-02 12:02")
    #expect(try stage.history()?.entries.count == 2)
  }

  /// Two devices snooze at once and a third one later. Only the first snooze is accepted.
  @Test func `N4: a delivered notification can be snoozed only once`() throws {
    try stage.run(to: "2026-03-02 22:00")
    let notification = try #require(try stage.history()?.entries.first?.identifier)
    let answers = [AnswerBox<WriteReceipt>(), AnswerBox(), AnswerBox()]
    try stage.turn(
      try answers.prefix(2).enumerated().map { try snooze(notification, $1, as: "s\($0)") })
    try stage.turn([snooze(notification, answers[2], as: "s2")])
    let refused = try answers.map { answer -> String? in
      guard case .refused(let refusal) = try answer.value() else { return nil }
      return refusal.path
    }
    #expect(refused == [nil, Write.dismissedPath, Write.dismissedPath])
    try stage.run(to: "2026-03-03 01:00")
    #expect(
      try stage.history()?.entries.map(\.message.reminder) == ["daily-checkin-reminder"])
  }

  @Test func `N4: an unknown notification cannot be snoozed`() throws {
    let answer = AnswerBox<WriteReceipt>()
    try stage.turn([snooze("nothing-1", answer)])
    guard case .refused = try answer.value() else {
      Issue.record("the receipt is \(try answer.value())")
      return
    }
    try stage.run(to: "2026-03-03 01:00")
    #expect(try stage.history()?.entries.count == 1)
  }
}
