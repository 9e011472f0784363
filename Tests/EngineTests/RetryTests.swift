import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule D2: deliveries that a sink does not accept.
@Suite struct RetryTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  /// Sets the sink's answer for one recipient. All other deliveries are accepted.
  private func answer(_ answer: SinkAnswer, to recipient: String) {
    stage.reply = { .success($0.map { $0.recipient == recipient ? answer : .delivered }) }
  }

  private func report(_ recipient: String, days: Int64 = 7) throws {
    try stage.take("milestone.reached", ["days": .integer(days)], of: recipient)
  }

  private func deadLetters() throws -> [String] {
    try stage.database().read {
      try String.fetchAll($0, sql: "SELECT attempts || ' ' || reason FROM retry WHERE due IS NULL")
    }
  }

  private func lane() throws -> ServiceStatus.Lane {
    try #require(try stage.status().lanes.first)
  }

  @Test func `D2: a failed delivery is retried on schedule`() throws {
    answer(.retry(after: nil, reason: "busy"), to: "amina")
    try report("amina", days: 60)
    var attemptInstants: [Instant] = []
    // The milestone expires after two days, which ends the retries.
    while attemptInstants.count < 8, stage.now < (try utc("2026-03-06 00:00")) {
      let before = stage.attempts.count
      guard let wake = try stage.core().nextWake(now: stage.now) else { break }
      try stage.run(to: wake)
      if stage.attempts.count > before, stage.attempts.last?.reminder == "milestone-60" {
        attemptInstants.append(stage.now)
      }
    }
    let waits = zip(attemptInstants.dropFirst(), attemptInstants).map { $0 - $1 }
    let scheduled: [TimeSpan] = [
      .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14),
    ]
    #expect(waits.count == scheduled.count)
    for (wait, scheduled) in zip(waits, scheduled) {
      #expect(wait >= scheduled)
      #expect(wait.milliseconds <= scheduled.milliseconds * 11 / 10)
    }
  }

  @Test func `D2: a retry that would be too late is a dead letter at once`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", expires: "20s"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 10:00:10")
    #expect(stage.attempts.count == 2)
    #expect(stage.world.deliveryNotes.map { "\($0)".prefix(4) } == ["retr", "dead"])
    #expect(try stage.status().lanes[0].retrying == 0)
    #expect(try stage.core().store.commit { try $0.deadLetterCount() } == 1)
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.attempts.count == 2 && stage.world.deliveryNotes.count == 2)
  }

  @Test func `D2: after the last attempt a delivery is a dead letter`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", expires: "60d"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    stage.reply = { batch in
      .success(
        batch.map {
          "\($0.planned)".hasPrefix("2026-03-02") ? .retry(after: nil, reason: "busy") : .delivered
        })
    }
    try stage.run(to: "2026-03-20 00:00")
    #expect(stage.attempts.count { "\($0.planned)".hasPrefix("2026-03-02") } == 10)
    #expect(Set(stage.attempts.map(\.identifier)).count == 18)
    #expect(try stage.status().lanes[0].retrying == 0)
    let letters = try stage.database().read {
      try String.fetchAll($0, sql: "SELECT attempts || ' ' || reason FROM retry WHERE due IS NULL")
    }
    #expect(letters == ["10 busy"])
  }

  @Test func `D2: a failing delivery does not delay other deliveries`() throws {
    answer(.retry(after: .minutes(30), reason: "busy"), to: "amina")
    for name in ["bilal", "amina", "chadi"] { try report(name) }
    try stage.run(to: "2026-03-02 09:10")
    #expect(stage.delivered.map(\.recipient) == ["bilal", "chadi"])
    #expect(try lane().waiting == 0)
    #expect(try lane().retrying == 1)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 10:00")
    #expect(stage.delivered.map(\.recipient) == ["bilal", "chadi", "amina"])
    #expect(try lane().retrying == 0)
    let attempts = stage.attempts.filter { $0.recipient == "amina" }
    #expect(attempts.count == 2)
    #expect(Set(attempts.map(\.identifier)).count == 1)
  }

  @Test func `D2: a rejected delivery is a dead letter at once`() throws {
    answer(.rejected(reason: "no such address"), to: "amina")
    try report("amina")
    try report("bilal")
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.attempts.count { $0.recipient == "amina" } == 1)
    #expect(try deadLetters() == ["1 no such address"])
    try stage.restart()
    try stage.run(to: "2026-03-02 20:30")
    #expect(stage.attempts.count { $0.recipient == "amina" } == 1)
  }

  @Test func `D2: retries survive restarts`() throws {
    answer(.retry(after: nil, reason: "busy"), to: "amina")
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    try stage.restart()
    try stage.run(to: "2026-03-02 09:00:07")
    try stage.crash()
    #expect(stage.attempts.count == 2)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 09:10")
    #expect(stage.delivered.map(\.recipient) == ["amina"])
    #expect(try lane().retrying == 0)
  }

  @Test func `D2: an outage during a retry does not count as an attempt`() throws {
    answer(.retry(after: nil, reason: "busy"), to: "amina")
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    stage.reply = Stage.failing
    try stage.run(to: "2026-03-02 12:00")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:02")
    #expect(stage.delivered.map(\.recipient) == ["amina"])
    #expect(try lane().retrying == 0 && lane().failure == nil)
  }

  @Test func `V7: a retry in quiet hours waits for their end`() throws {
    answer(.retry(after: .minutes(10), reason: "busy"), to: "amina")
    try report("amina")
    try stage.run(to: "2026-03-02 09:05")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "09:00", "end": "15:00"]])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 14:59:59")
    #expect(stage.delivered.isEmpty)
    try stage.run(to: "2026-03-02 15:00")
    #expect(stage.delivered.map(\.recipient) == ["amina"])
  }

  @Test func `V7: a retry has the urgency of its reminder`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(urgency: "critical", trigger: "urgency: high"),
      at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "12:30", "end": "15:00"]])
    stage.reply = { .success($0.map { _ in .retry(after: .hours(1), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00:01")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 14:59:59")
    #expect(stage.attempts.count == 1)
    try stage.run(to: "2026-03-02 15:00")
    #expect(stage.delivered.map(\.reminder) == ["note"])
  }

  @Test func `V3: a retry in quiet hours is silent if its category declares that`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(urgency: "normal, quiet: silent"), at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "12:30", "end": "15:00"]])
    stage.reply = { .success($0.map { _ in .retry(after: .hours(1), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00:01")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 14:00")
    #expect(stage.attempts.map(\.isSilent) == [false, true])
    #expect(stage.delivered.count == 1)
  }

  private static let errands = """
    catalog: errands
    events:
      booked: {visit: identifier, at: instant}
      missed: {visit: identifier}
      noted: {}
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      visit:
        category: NOTE
        group: notes
        before: {event: booked, at: at, by: 2h}
        cancel: missed
        expires: 12h
        messages: [{title: Visit, body: A visit.}]
      note:
        category: NOTE
        group: notes
        every: {day: {at: "12:00"}}
        unless: noted
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  private static let cancellations: [(String, JSONValue, String)] = [
    ("missed", ["visit": "a"], "visit"),
    ("noted", [:], "note"),
    ("booked", ["visit": "a", "at": "2026-03-05T14:00:00Z"], "visit"),
    ("notification.cancelled", ["notification": "request"], "notification.requested"),
  ]

  @Test(arguments: cancellations)
  func `G1: a cancelled occurrence is not retried`(
    type: String, data: JSONValue, reminder: String
  ) throws {
    let stage = try Stage(catalog: Self.errands, at: "2026-03-02 11:00")
    try stage.take("booked", ["visit": "a", "at": "2026-03-02T14:00:00Z"])
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(30), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00")
    try stage.take(
      "notification.requested", ["category": "NOTE", "title": "Word", "body": "A word."],
      id: "request")
    try stage.run(to: "2026-03-02 12:00:01")
    let reminders = ["visit", "note", "notification.requested"]
    #expect(Set(stage.attempts.map(\.reminder)) == Set(reminders))
    try stage.take(type, data)
    try stage.restart()
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:00")
    #expect(Set(stage.delivered.map(\.reminder)) == Set(reminders.filter { $0 != reminder }))
    #expect(try stage.status().lanes[0].retrying == 0)
  }

  @Test func `G1: an occurrence whose event is repeated is still retried`() throws {
    let stage = try Stage(catalog: Self.errands, at: "2026-03-02 11:30")
    let booking: JSONValue = ["visit": "a", "at": "2026-03-02T14:00:00Z"]
    try stage.take("booked", booking)
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(30), reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:10")
    try stage.take("booked", booking)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.delivered.map(\.reminder).sorted() == ["note", "visit"])
  }

  @Test func `H4: an erased recipient's retries cause no work`() throws {
    answer(.retry(after: nil, reason: "busy"), to: "amina")
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    try stage.take("recipient.deleted")
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.attempts.count == 1)
    #expect(try stage.core().nextWake(now: stage.now) == nil)
  }

  @Test func `a batch with too few answers is sent again as a whole`() throws {
    stage.reply = { .success($0.dropLast().map { _ in .delivered }) }
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 09:01")
    #expect(stage.delivered.map(\.recipient) == ["amina"])
  }

  @Test func `the channels of a notification are retried independently`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: "push: true, email: true"), at: "2026-03-02 09:00")
    try stage.take("relapse")
    stage.reply = {
      .success($0.map { $0.channel == .email ? .retry(after: nil, reason: "busy") : .delivered })
    }
    try stage.run(to: "2026-03-02 12:00:01")
    #expect(stage.delivered.map(\.channel) == [.push])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:01")
    #expect(stage.delivered.map(\.channel) == [.push, .email])
    #expect(Set(stage.delivered.map(\.identifier)).count == 1)
  }

  @Test func `N7: a snoozed occurrence still meets its conditions before a retry`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(at: "10:00", trigger: "having: {event: relapse, within: 2h}"),
      at: "2026-03-02 09:00")
    try stage.take("relapse")
    let snooze: JSONValue = ["reminder": "note", "for": "3h"]
    #expect(try stage.take("pending.snoozed", snooze).word == "accepted")
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(10), reason: "busy") }) }
    try stage.run(to: "2026-03-02 13:01")
    #expect(stage.attempts.map(\.reminder) == ["note"])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 13:20")
    #expect(stage.delivered.map(\.reminder) == ["note"])
  }
}
