import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rules N8, N9 and G1: a digest's waiting deliveries end when all its members have ended.
@Suite struct EndedDigestTests {
  private static let quietHours: JSONValue = [
    "quietHours": ["enabled": true, "start": "08:00", "end": "10:00"]
  ]
  private static let busy: Stage.Reply = {
    .success($0.map { _ in .retry(after: .minutes(10), reason: "busy") })
  }
  private static let rejecting: Stage.Reply = {
    .success($0.map { _ in .rejected(reason: "no") })
  }

  /// Returns a service that has offered a digest to its only sink, at 10:00. The digest has three
  /// requested notifications.
  private func stage(_ reply: @escaping Stage.Reply) throws -> Stage {
    let text = Fixtures.notes().replacing(
      "every: {day: {at: $time}}", with: "after: {event: relapse, next: $time}")
    let stage = try Stage(catalog: text, at: "2026-03-02 09:00")
    try stage.take("preferences.updated", Self.quietHours)
    for title in ["One", "Two", "Three"] {
      try stage.take(
        "notification.requested",
        ["category": "NOTE", "title": .string(title), "body": "You.", "expires": "12h"], id: title)
    }
    stage.reply = reply
    try stage.run(to: "2026-03-02 10:01")
    return stage
  }

  /// Returns a service that has sent a digest of four notifications by push. Its e-mail sink
  /// answered "busy" to a digest of the first three.
  private func stageWithTwoDigests() throws -> Stage {
    let text = Fixtures.notes(channels: "push: true, email: true").replacing(
      "every: {day: {at: $time}}", with: "after: {event: relapse, next: $time}")
    let stage = try Stage(catalog: text, at: "2026-03-02 09:00")
    stage.sink = NamedSink(name: "one")
    stage.others = [NamedSink(name: "two")]
    stage.routes = Routes([.push: ["one"], .email: ["two"]])
    try stage.restart()
    try stage.take("preferences.updated", Self.quietHours)
    for title in ["One", "Two", "Three", "Four"] {
      let channels: JSONValue = title == "Four" ? ["push"] : ["push", "email"]
      try stage.take(
        "notification.requested",
        [
          "category": "NOTE", "title": .string(title), "body": "You.", "expires": "12h",
          "channels": channels,
        ], id: title)
    }
    stage.replies = ["two": Self.busy]
    try stage.run(to: "2026-03-02 10:01")
    try #require(stage.attempts.map(\.reminder) == [Digest.identifier, Digest.identifier])
    return stage
  }

  private func digest(_ stage: Stage, on channel: Channel) throws -> History {
    let sent = try #require(stage.attempts.first { $0.channel == channel })
    try #require(sent.reminder == Digest.identifier)
    let answer = try stage.query(NotificationQuery(of: "amina", sent.identifier))
    let found: History? = if case .found(let history) = answer { history } else { nil }
    return try #require(found)
  }

  private func digest(_ stage: Stage) throws -> History {
    let sent = try #require(stage.attempts.last)
    try #require(sent.reminder == Digest.identifier)
    let answer = try stage.query(NotificationQuery(of: "amina", sent.identifier))
    let found: History? = if case .found(let history) = answer { history } else { nil }
    let history = try #require(found)
    try #require(history.members.count == 3)
    return history
  }

  private func snoozeEvent(_ member: History.Member, _ stage: Stage) throws -> Event {
    try Fixtures.event(
      "snooze \(member.key)", "pending.snoozed", of: "amina", at: stage.now,
      [
        "reminder": .string(member.reminder), "occurrence": .string("\(member.key)"),
        "delivered": true, "for": "1h",
      ], planner: stage.planner)
  }

  /// Snoozes the digest by its id, as the API does.
  private func snooze(_ digest: History, _ stage: Stage) throws {
    let events = try digest.members.map { try snoozeEvent($0, stage) }
    let write = Write(events: events, dismissed: digest.notification.identifier)
    let receipt = try stage.ask { .write(write, $0) }
    guard case .done = receipt else {
      Issue.record("the receipt is \(receipt)")
      return
    }
  }

  /// Sends a digest's dead letter again.
  ///
  /// - Returns: the reasons for keeping the dead letter; nil if it is sent.
  private func resendLetter(of digest: History, _ stage: Stage) throws -> [String]? {
    let letters = try stage.core().store.commit {
      try $0.deadLetters(of: nil, after: nil, limit: 9)
    }
    let letter = try #require(letters.first)
    try #require(letter.delivery.identifier == digest.notification.identifier)
    stage.reply = Stage.accepting
    let write = DeadLetterWrite(.resend, .one(letter.identifier))
    let outcome = try stage.ask { .deadLetterWrite(write, $0) }?.outcomes.first?.outcome
    guard case .kept(let reasons) = outcome else { return nil }
    return reasons
  }

  @Test func `N8: snoozing a digest ends its retries`() throws {
    let stage = try stage(Self.busy)
    let first = try digest(stage)
    try snooze(first, stage)
    try stage.restart()
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 11:00")
    #expect(stage.delivered.isEmpty)
    try stage.run(to: "2026-03-02 11:02")
    #expect(stage.delivered.map(\.reminder) == [Digest.identifier])
    #expect(stage.delivered.map(\.identifier) != [first.notification.identifier])
  }

  @Test func `N8: if a digest and its next round wait for a sink, only the next round is sent`()
    throws
  {
    let stage = try stage(Stage.failing)
    let first = try digest(stage)
    try snooze(first, stage)
    try stage.run(to: "2026-03-02 11:05")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.delivered.map(\.reminder) == [Digest.identifier])
    #expect(stage.delivered.map(\.identifier) != [first.notification.identifier])
  }

  @Test func `N8: a dead letter of a snoozed digest is not sent again`() throws {
    let stage = try stage(Self.rejecting)
    let first = try digest(stage)
    try snooze(first, stage)
    #expect(try resendLetter(of: first, stage) == [Gate.withdrawn.reason])
    try stage.run(to: "2026-03-02 10:30")
    #expect(stage.delivered.isEmpty)
  }

  @Test func `N9: a digest whose members were all snoozed one by one is not sent`() throws {
    let stage = try stage(Self.busy)
    let first = try digest(stage)
    for member in first.members {
      #expect(try stage.submit([snoozeEvent(member, stage)]).map(\.word) == ["accepted"])
    }
    try stage.restart()
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:00")
    #expect(!stage.delivered.isEmpty)
    #expect(!stage.delivered.map(\.identifier).contains(first.notification.identifier))
  }

  @Test(arguments: [["One", "Two", "Three"], ["One", "Two"]])
  func `G1: a digest is retried unless all its members were withdrawn`(withdrawn: [String]) throws {
    let stage = try stage(Self.busy)
    let first = try digest(stage)
    for title in withdrawn {
      try stage.take("notification.cancelled", ["notification": .string(title)])
    }
    try stage.restart()
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:00")
    let isSent = withdrawn.count < 3
    #expect(stage.delivered.map(\.identifier) == (isSent ? [first.notification.identifier] : []))
  }

  @Test(arguments: [["a", "b", "c"], ["a", "b"]])
  func `P10: a digest is retried unless all its entities were muted`(muted: [String]) throws {
    let stage = try Stage(catalog: Fixtures.shortVisits(expires: "12h"), at: "2026-03-02 09:00")
    try stage.take("preferences.updated", Self.quietHours)
    for name in ["a", "b", "c"] { try stage.take("visit", ["visit": .string(name)]) }
    stage.reply = Self.busy
    try stage.run(to: "2026-03-02 10:01")
    try #require(stage.attempts.map(\.reminder) == [Digest.identifier])
    for name in muted {
      try stage.take(
        "preferences.updated", ["reminders": ["visits": ["items": [name: ["enabled": false]]]]])
    }
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.delivered.count == (muted.count < 3 ? 1 : 0))
  }

  @Test func `D9: a dead letter of a digest whose members were all withdrawn is not sent again`()
    throws
  {
    let stage = try stage(Self.rejecting)
    let first = try digest(stage)
    for title in ["One", "Two", "Three"] {
      try stage.take("notification.cancelled", ["notification": .string(title)])
    }
    #expect(try resendLetter(of: first, stage) == [Gate.withdrawn.reason])
  }

  @Test func `V14: each of two digests at one instant has its own members`() throws {
    let stage = try stageWithTwoDigests()
    #expect(try digest(stage, on: .push).members.count == 4)
    #expect(try digest(stage, on: .email).members.count == 3)
  }

  @Test func `G1: a waiting digest ends when all its members are withdrawn`() throws {
    let stage = try stageWithTwoDigests()
    for title in ["One", "Two", "Three"] {
      try stage.take("notification.cancelled", ["notification": .string(title)])
    }
    stage.replies = [:]
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.delivered.map(\.channel) == [.push])
  }

  @Test func `N8: snoozing a digest ends its members' digest on another channel`() throws {
    let stage = try stageWithTwoDigests()
    try snooze(digest(stage, on: .push), stage)
    stage.replies = [:]
    try stage.run(to: "2026-03-02 10:59")
    #expect(stage.delivered.map(\.channel) == [.push])
    try stage.run(to: "2026-03-02 11:30")
    #expect(stage.delivered.map(\.channel) == [.push, .push, .email])
  }

  @Test func `N9: a digest is still sent after one of its members was snoozed alone`() throws {
    let stage = try stage(Self.busy)
    let first = try digest(stage)
    let member = try #require(first.members.first)
    #expect(try stage.submit([snoozeEvent(member, stage)]).map(\.word) == ["accepted"])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:00")
    #expect(stage.delivered.count == 2)
    #expect(stage.delivered.first?.identifier == first.notification.identifier)
    #expect(stage.delivered.last?.reminder == Reminder.requested)
  }
}
