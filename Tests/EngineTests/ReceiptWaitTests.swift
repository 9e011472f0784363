import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule D13: another channel follows if no receipt arrives in time.
@Suite struct ReceiptWaitTests {
  private static let channels = "push: true, sms: fallback"

  /// Returns a service that has just sent a note by push at 12:00. An SMS follows 10 minutes later
  /// if no receipt arrives.
  private func stage(_ channels: String = Self.channels, expires: String = "12h") throws -> Stage {
    let text = Fixtures.notes(channels: channels, expires: expires).replacing(
      "urgency: normal,", with: "urgency: normal, confirm: {within: 10m, else: sms},")
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one")
    stage.others = [NamedSink(name: "two")]
    stage.routes = Routes([.push: ["one"], .email: ["one"], .sms: ["two"]])
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:00")
    return stage
  }

  private func channels(_ stage: Stage) -> [Channel] { stage.attempts.map(\.channel) }

  private func report(_ type: String, _ stage: Stage) throws {
    let id = try #require(stage.attempts.first).identifier
    try stage.take(type, ["notification": .string(id)])
  }

  @Test func `D13: without a receipt the other channel follows once, after the wait`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-02 12:09")
    #expect(channels(stage) == [.push])
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push, .sms])
  }

  @Test(arguments: ["notification.received", "notification.opened"])
  func `D13: a receipt in time ends the wait`(type: String) throws {
    let stage = try stage()
    try report(type, stage)
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push])
    let deliveries = try #require(try stage.history { $0.states = nil }?.entries.first?.deliveries)
    #expect(deliveries.map(\.channel) == [.push, .sms] && deliveries[1].state == .dropped)
  }

  @Test func `D13: an opening before the sink's answer is recorded is a receipt`() throws {
    let stage = try stage()
    try stage.run(to: "2026-03-03 11:00")
    stage.beforeAnswer = {
      let rows = try stage.core().store.commit { try $0.feed(before: nil, limit: 1) }
      let number = try #require(rows.first).groupRecord.notification
      let id = NotificationID(try stage.instance(), number).description
      try stage.take("notification.opened", ["notification": .string(id)])
    }
    try stage.run(to: "2026-03-03 20:00")
    #expect(channels(stage) == [.push, .sms, .push])
  }

  @Test func `D13: a complaint ends the wait`() throws {
    let stage = try stage()
    let id = try #require(stage.attempts.first).identifier
    try stage.take(
      "delivery.reported", ["notification": .string(id), "channel": "push", "state": "complained"])
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push])
  }

  @Test func `D13: a snooze of the notification ends the wait`() throws {
    let stage = try stage()
    let first = try #require(stage.delivered.first)
    try stage.take(
      "pending.snoozed",
      [
        "reminder": .string(first.reminder), "occurrence": .string("\(first.key)"),
        "delivered": true, "for": "30m",
      ])
    try stage.run(to: "2026-03-02 12:29")
    #expect(channels(stage) == [.push])
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push, .push, .sms])
  }

  /// The changes of an inbox after which the recipient has seen a notification.
  static let sightings: [@Sendable (String) -> InboxWrite] = [
    { .read([$0]) }, { _ in .readAll }, { .dismiss($0) }, { _ in .clear },
  ]

  @Test(arguments: sightings.indices)
  func `D13: reading or dismissing in the inbox ends the wait`(number: Int) throws {
    let stage = try stage()
    let id = try #require(stage.attempts.first).identifier
    try stage.write(Self.sightings[number](id))
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push])
  }

  @Test(arguments: sightings.indices)
  func `D13: reading before the sink's answer is recorded is a receipt`(number: Int) throws {
    let stage = try stage()
    try stage.run(to: "2026-03-03 11:00")
    stage.beforeAnswer = {
      let rows = try stage.core().store.commit { try $0.feed(before: nil, limit: 1) }
      let notification = try #require(rows.first).groupRecord.notification
      let id = NotificationID(try stage.instance(), notification).description
      try stage.write(Self.sightings[number](id))
    }
    try stage.run(to: "2026-03-03 20:00")
    #expect(channels(stage) == [.push, .sms, .push])
  }

  @Test func `D13: a late receipt changes nothing, and a failure report is no receipt`() throws {
    let stage = try stage()
    let id = try #require(stage.attempts.first).identifier
    try stage.take(
      "delivery.reported", ["notification": .string(id), "channel": "push", "state": "failed"])
    try stage.run(to: "2026-03-02 12:15")
    try report("notification.received", stage)
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push, .sms])
  }

  @Test func `D13: the wait survives a restart`() throws {
    let stage = try stage()
    try stage.restart()
    try stage.run(to: "2026-03-02 12:20")
    #expect(channels(stage) == [.push, .sms])
  }

  @Test func `D13: the gates are evaluated at the end of the wait`() throws {
    let stage = try stage()
    try stage.take("preferences.updated", ["channels": ["sms": false]])
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push])
  }

  @Test func `D13: several accepted channels wait once`() throws {
    let stage = try stage("push: true, email: true, sms: fallback")
    try stage.run(to: "2026-03-02 20:00")
    #expect(channels(stage) == [.push, .email, .sms])
  }

  @Test(arguments: [("push: true, sms: true", "12h"), ("push: true, sms: fallback", "5m")])
  func `D13: no wait if the notification is on the other channel anyway or expires first`(
    channels: String, expires: String
  ) throws {
    let stage = try stage(channels, expires: expires)
    let previousCount = stage.attempts.count
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.attempts.count == previousCount)
  }
}
