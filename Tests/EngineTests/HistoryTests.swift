import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule V8: the record of a past notification, and its explanation.
@Suite struct HistoryTests {
  let stage: Stage

  init() throws {
    stage = try Stage(defaultZone: "Europe/Berlin", at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:30", "end": "07:00"]])
  }

  private static let nightlyDifference =
    "would have been sent at 2026-03-02 21:00 Europe/Berlin if not for quiet hours 20:30-07:00 "
    + "Europe/Berlin"

  /// Runs until the first check-in is sent, and returns the notification's identifier.
  private func firstCheckin() throws -> String {
    try stage.run(to: "2026-03-03 06:30")
    let delivery = stage.attempts.first {
      $0.reminder == "daily-checkin-reminder" && $0.recipient == "amina"
    }
    return try #require(delivery).identifier
  }

  // MARK: - Explanations

  @Test func `V8: a held notification names the gate and the end of the hold`() throws {
    let (past, _) = try stage.explanation(firstCheckin())
    let rounds = try #require(past.rounds)
    #expect(try rounds.map(\.at) == [utc("2026-03-02 20:00"), utc("2026-03-03 06:00")])
    let all = Gate.unconditional + [.minimumInterval, .dailyCap]
    #expect(rounds.map { $0.steps.map(\.gate) } == [Gate.unconditional, all])
    #expect(
      try rounds[0].objections.map(\.finding) == [.holds(until: utc("2026-03-03 06:00"))])
    #expect(rounds[1].objections == [])
    #expect(past.notification.message.title == "Daily Check-in")
    #expect(past.counterfactualText == Self.nightlyDifference)
  }

  @Test func `V8: later changes do not alter the explanation of a past notification`() throws {
    let identifier = try firstCheckin()
    try stage.take("preferences.updated", ["quietHours": ["start": "12:00"], "master": false])
    try stage.take("recipient.updated", ["timezone": "Asia/Tokyo"])
    try stage.run(to: "2026-03-05 00:00")
    try stage.plan(with: Fixtures.planner(defaultZone: "Europe/Berlin"))
    try stage.restart()
    let (past, _) = try stage.explanation(identifier)
    #expect(past.counterfactualText == Self.nightlyDifference)
    #expect(past.rounds?.count == 2)
  }

  @Test func `V8: an explanation shows when a hold ended early`() throws {
    try stage.run(to: "2026-03-02 20:30")
    try stage.take("preferences.updated", ["quietHours": ["enabled": false]])
    try stage.run(to: "2026-03-02 20:40")
    let (past, _) = try stage.explanation(try #require(stage.attempts.last).identifier)
    let instants = try [utc("2026-03-02 20:00"), utc("2026-03-02 20:30")]
    #expect(past.rounds?.map(\.at) == instants)
    #expect(past.rounds?.last?.steps.first { $0.gate == .quietHours }?.input == "no quiet hours")
  }

  @Test func `T8: an event received just after its time is explained as of its time`() throws {
    try stage.run(to: "2026-03-02 09:10")
    let time = stage.now - .milliseconds(5)
    try stage.take(
      "notification.requested", ["category": "LESSON", "title": "Hello", "body": "You."],
      at: time)
    try stage.run(to: stage.now)
    let (past, _) = try stage.explanation(try #require(stage.attempts.last).identifier)
    #expect(past.notification.at == time)
    #expect(past.rounds?.map(\.at) == [time])
  }

  @Test func `V8: a dropped notification names the gate that held it`() throws {
    let stage = try Stage(catalog: Fixtures.notes(expires: "1h"), at: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["timezone": "Europe/Berlin"])
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "15:00"]])
    try stage.run(to: "2026-03-02 20:00")
    let (past, deliveries) = try stage.explanation(
      try #require(stage.notes.first { $0.notification != nil }?.notification))
    #expect(past.notification.outcome == .dropped)
    #expect(past.notification.trace.reasons == ["quiet_hours", "expired"])
    #expect(
      past.counterfactualText
        == "would have been sent at 2026-03-02 12:00 Europe/Berlin if not for "
        + "quiet hours 11:00-15:00 Europe/Berlin")
    #expect(past.rounds?.count == 2)
    #expect(deliveries == [])
  }

  @Test func `V8: the history of a digest's member names the digest`() throws {
    try stage.take("lesson.completed", ["day": 3])
    for days in [1, 3, 7] as [Int64] {
      try stage.take("milestone.reached", ["days": .integer(days)], at: utc("2026-03-02 08:59"))
    }
    try stage.run(to: "2026-03-02 20:00")
    for days in [14, 21, 30] as [Int64] {
      try stage.take("milestone.reached", ["days": .integer(days)])
    }
    try stage.run(to: "2026-03-03 06:30")
    let digest = try #require(stage.attempts.first { $0.reminder == "digest" })
    let memberNote = try #require(
      stage.notes.first { if case .bundled = $0.kind { true } else { false } })
    let history = try stage.foundHistory(try #require(memberNote.notification))
    #expect(history.digest == digest.identifier)
    let (past, _) = try stage.explanation(try #require(memberNote.notification))
    #expect(past.notification.outcome == .bundled)
    #expect(past.rounds?.last?.objections == [])
    let (digestPast, deliveries) = try stage.explanation(digest.identifier)
    #expect(digestPast.notification.message.members.count == 4)
    #expect(digestPast.counterfactualText?.contains("if not for quiet hours 20:30-07:00") == true)
    #expect(deliveries.map(\.progress) == [.delivered])
  }

  @Test func `V8: a late occurrence is explained as of the instant at which it fired`() throws {
    try stage.take("preferences.updated", ["quietHours": ["enabled": false]])
    try stage.jump(to: "2026-03-02 22:15")
    let (past, _) = try stage.explanation(try #require(stage.attempts.last).identifier)
    #expect(try past.rounds?.map(\.at) == [utc("2026-03-02 22:15")])
    #expect(past.counterfactualText == nil)
  }

  @Test func `G9: a past date names the entities that shared it, and those that had ended`() throws
  {
    let stage = try Stage(
      catalog: Fixtures.notes(trigger: "since: course")
        + "\nevents: {course: {course: identifier}}",
      at: "2026-03-02 09:00")
    try stage.take("course", ["course": "a"])
    try stage.take(
      "pending.cancelled", ["reminder": "note", "occurrence": "20515", "series": true])
    for course in ["c", "b"] { try stage.take("course", ["course": .string(course)]) }
    try stage.run(to: "2026-03-03 12:05")
    let (past, _) = try stage.explanation(try #require(stage.attempts.last).identifier)
    #expect(past.sharedDate.entities == ["b", "c"])
    #expect(past.sharedDate.ended == ["a"])
  }

  @Test func `V8: after a change of configuration only recorded reasons are given`() throws {
    let identifier = try firstCheckin()
    try stage.plan(with: Fixtures.planner(defaultZone: "Europe/Paris"))
    let (past, _) = try stage.explanation(identifier)
    #expect(past.rounds == nil)
    #expect(past.notification.trace.reasons == ["quiet_hours"])
    #expect(past.counterfactualText == nil)
    try stage.run(to: "2026-03-04 06:30")
    let later = try #require(stage.attempts.last { $0.reminder == "daily-checkin-reminder" })
    #expect(try stage.explanation(later.identifier).past.rounds?.count == 2)
  }

  @Test(arguments: Seeds.all)
  func `V8: every past notification is explained`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2 {
      let population = try Population(
        seed: random.next(), isErasing: false, planner: Fixtures.planner())
      let stage = try Stage(at: "2026-01-01 00:00")
      try stage.play(population) {}
      let notifications = stage.notes.filter { $0.notification != nil }
      #expect(!notifications.isEmpty)
      for note in notifications {
        let identifier = try #require(note.notification)
        let history = try stage.foundHistory(identifier, of: note.recipient)
        let past = history.recipient.explain(
          history.notification, events: history.events, planner: stage.planner)
        #expect(past.rounds != nil, "seed \(seed): \(note)")
        let hasObjections = past.rounds?.contains { !$0.objections.isEmpty } ?? false
        #expect(
          hasObjections || note.reasons.allSatisfy { $0 == "missed" }, "seed \(seed): \(note)")
      }
    }
  }

  @Test func `V8: gate reasons after the decision are listed separately`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]])
    stage.reply = Stage.failing
    try stage.run(to: "2026-03-02 22:30")
    let identifier = try #require(stage.attempts.first { $0.reminder == "daily-checkin-reminder" })
      .identifier
    let (held, deliveries) = try stage.explanation(identifier)
    #expect(try held.rounds?.map(\.at) == [utc("2026-03-02 21:00")])
    #expect(held.laterReasons == ["quiet_hours"])
    #expect(held.counterfactualText == nil)
    guard case .retrying(_, let due, "held by quiet_hours") = deliveries.first?.progress else {
      Issue.record("\(deliveries)")
      return
    }
    #expect(try due == utc("2026-03-03 06:00"))
    try stage.jump(to: "2026-03-03 09:30")
    let (dropped, _) = try stage.explanation(identifier)
    #expect(dropped.notification.outcome == .dropped)
    #expect(dropped.laterReasons == ["quiet_hours", "expired"])
    #expect(dropped.rounds?.first?.objections == [])
  }

  // MARK: - Ownership

  @Test func `another recipient's notification is not found`() throws {
    try stage.take("lesson.completed", ["day": 1], of: "bilal")
    let identifier = try firstCheckin()
    func answer(_ name: String, _ identifier: String) throws -> String {
      switch try stage.history(identifier, of: name) {
      case .found: "found"
      case .unknownRecipient: "unknown recipient"
      case .unknownNotification: "unknown notification"
      }
    }
    #expect(try answer("amina", identifier) == "found")
    #expect(try answer("bilal", identifier) == "unknown notification")
    #expect(try answer("nobody", identifier) == "unknown recipient")
    for unknown in ["", "-", "1", identifier + "9", "another-1", identifier + "x"] {
      #expect(try answer("amina", unknown) == "unknown notification", "\(unknown)")
    }
  }

  // MARK: - Delivery progress

  @Test func `a delivery that no sink has accepted is waiting`() throws {
    stage.reply = Stage.failing
    #expect(try stage.explanation(firstCheckin()).deliveries.map(\.progress) == [.waiting])
  }

  @Test func `a retry and a dead letter show the sink's reason`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    let identifier = try firstCheckin()
    guard
      case .retrying(let attempts, let due, let reason) =
        try stage.explanation(identifier).deliveries.first?.progress
    else {
      Issue.record("the delivery is not a retry")
      return
    }
    #expect(attempts > 1)
    #expect(due > stage.now)
    #expect(reason == "busy")
    stage.reply = { .success($0.map { _ in .rejected(reason: "no such device") }) }
    try stage.run(to: due)
    #expect(
      try stage.explanation(identifier).deliveries.map(\.progress)
        == [.dead(attempts: attempts + 1, reason: "no such device")])
  }
}

extension Stage {
  fileprivate func history(_ identifier: String, of name: String) throws -> HistoryAnswer {
    try query(NotificationQuery(of: name, identifier))
  }

  fileprivate func foundHistory(_ identifier: String, of name: String = "amina") throws -> History {
    guard case .found(let history) = try history(identifier, of: name) else {
      throw NotFound(identifier: identifier)
    }
    return history
  }

  fileprivate func explanation(
    _ identifier: String
  ) throws -> (past: PastExplanation, deliveries: [DeliveryState]) {
    let history = try foundHistory(identifier)
    let past = history.recipient.explain(
      history.notification, events: history.events, planner: planner)
    return (past, history.deliveries)
  }
}

private struct NotFound: Error {
  let identifier: String
}
