import CivilTime
import GRDB
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rules E1 and E3: events are ingested and answered.
@Suite struct IntakeTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func event(
    _ identifier: String, _ type: String = "relapse", of recipient: String = "amina"
  ) throws -> Event {
    try Fixtures.event(identifier, type, of: recipient, at: stage.now, planner: stage.planner)
  }

  @Test func `E3: the events of an engine cycle share one commit`() throws {
    let commits = CommitCounter()
    try stage.database().add(transactionObserver: commits, extent: .databaseLifetime)
    let answers = try (0..<3).map { request in
      let answer = AnswerBox<[Receipt]>()
      let events = try (0..<40).map { try event("\(request)-\($0)", of: "u\($0)") }
      return (Request.submit(events, answer.take), answer)
    }
    try stage.turn(answers.map(\.0))
    for (_, answer) in answers {
      #expect(try answer.value().map(\.word) == Array(repeating: "accepted", count: 40))
    }
    #expect(commits.count == 1)
    #expect(try stage.status().recipients == 40)
  }

  @Test func `two ids that differ only in Unicode form belong to two recipients`() throws {
    let names = ["Jos\u{e9}", "Jose\u{301}"]
    #expect(names[0] == names[1])
    let answer = AnswerBox<[Receipt]>()
    let events = try names.map { try event($0 + "\($0.utf8.count)", of: $0) }
    try stage.turn([Request.submit(events, answer.take)])
    #expect(try answer.value().map(\.word) == ["accepted", "accepted"])
    #expect(try stage.status().recipients == 2)
  }

  @Test func `E3: nothing is answered before it is on disk`() throws {
    let copy = AnswerBox<TemporaryDirectory>()
    let directory = stage.directory
    let answer: Answer<[Receipt]> = { _ in
      copy.take(Result { try directory.copy() }.mapError { ServiceUnavailable(.stopping, "\($0)") })
    }
    try stage.core().turn([.submit([try event("1")], answer)], now: stage.now)
    let store = try SQLiteStore(directory: copy.value().path)
    #expect(try store.commit { try $0.recipient(named: "amina") } != nil)
  }

  @Test func `E1: each event has a receipt, in order`() throws {
    try stage.take("relapse", id: "old")
    let receipts = try stage.submit([
      event("new"), event("old"), event("new"), event("new", of: "bilal"),
      event("old", "streak.started"), event("last", of: "bilal"),
    ])
    let conflict = { (id: String) in
      "refused: id \"\(id)\" of \"test\" was used for another event before; "
        + "give every event an id of its own"
    }
    #expect(
      receipts.map(\.word) == [
        "accepted", "duplicate", "duplicate", conflict("new"), conflict("old"), "accepted",
      ])
  }

  @Test func `E1: duplicates are recognized after restarts and erasures`() throws {
    #expect(try stage.submit([event("1"), event("2", of: "bilal")]).map(\.word).count == 2)
    let events = try [event("1"), event("2", of: "bilal")]
    try stage.restart()
    #expect(try stage.submit(events).map(\.word) == ["duplicate", "duplicate"])
    try stage.take("recipient.deleted")
    try stage.crash()
    #expect(try stage.submit(events).map(\.word) == ["duplicate", "duplicate"])
    #expect(try stage.agenda() == nil)
  }

  @Test func `E1: a duplicate event does not change the plan`() throws {
    let relapse = try event("1")
    _ = try stage.submit([relapse])
    let before = try stage.agenda()?.entries.map(\.line)
    try stage.run(to: "2026-03-02 10:00")
    _ = try stage.submit([relapse, relapse])
    #expect(try stage.agenda()?.entries.map(\.line) == before)
  }

  @Test(
    arguments: [
      (
        "pending.snoozed",
        ["reminder": "relapse-recovery-reminder", "until": "2026-03-02T10:00:00Z"]
      ),
      ("pending.cancelled", ["reminder": "relapse-recovery-reminder"]),
      ("preferences.updated", ["quietHours": ["start": "08:00"]]),
    ] as [(String, JSONValue)])
  func `an event that does not fit the recipient's state is refused`(type: String, data: JSONValue)
    throws
  {
    try stage.take("streak.started", of: "other")
    for recipient in ["other", "nobody"] {
      let before = try stage.agenda(of: recipient)?.entries.map(\.line)
      #expect(try stage.take(type, data, of: recipient).word.hasPrefix("refused: "))
      #expect(try stage.agenda(of: recipient)?.entries.map(\.line) == before)
    }
  }

  @Test func `P7: a refused event leaves no trace`() throws {
    // The event is valid by itself, but not with the default end of quiet hours.
    let receipt = try stage.take("preferences.updated", ["quietHours": ["start": "08:00"]])
    #expect(receipt.word.contains("Start and end time cannot be the same"))
    #expect(try stage.agenda() == nil)
    #expect(try stage.status().recipients == 0)
    let count = try stage.database().read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM recipient")
    }
    #expect(count == 0)
    // A replan of all recipients does not find the recipient either.
    try stage.plan(with: Fixtures.planner(defaultZone: "Europe/London"))
    try stage.run(to: "2026-03-04 00:00")
    #expect(stage.deliveryLines == [])
  }

  @Test func `E1: events may arrive in any order`() throws {
    let days: [(Int64, String)] = [
      (1, "2026-03-01 07:00"), (2, "2026-03-01 20:00"), (3, "2026-03-02 08:00"),
    ]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let stage = try Stage(at: "2026-03-02 09:00")
      for index in order {
        let (day, time) = days[index]
        try stage.take("lesson.completed", ["day": .integer(day)], at: utc(time))
      }
      #expect(
        try stage.agenda()?.entries.map(\.line) == [
          "2026-03-02T21:00:00.000Z daily-checkin-reminder delivered",
          "2026-03-03T08:00:00.000Z daily-lesson-reminder delivered",
        ])
    }
  }

  @Test func `E1: a late event's occurrence is sent at once unless it has expired`() throws {
    try stage.take("milestone.reached", ["days": 7], at: utc("2026-03-01 10:00"))
    try stage.take("milestone.reached", ["days": 14], at: utc("2026-02-27 10:00"))
    #expect(stage.deliveryLines == ["2026-03-02T09:00:00.000Z amina milestone-7"])
    #expect(stage.delivered.map(\.planned) == [try utc("2026-03-01 10:00:01")])
  }

  @Test func `a due occurrence is sent before an event of the same instant is ingested`() throws {
    try stage.take("lesson.completed", ["day": 1])
    try stage.run(to: "2026-03-03 08:59")
    let off = try Fixtures.event(
      "off", "preferences.updated", of: "amina", at: utc("2026-03-03 09:00"),
      ["reminders": ["lesson": ["enabled": false]]], planner: stage.planner)
    let answer = AnswerBox<[Receipt]>()
    try stage.core().turn([.submit([off], answer.take)], now: utc("2026-03-03 09:00"))
    try stage.answer()
    #expect(stage.deliveryLines.last == "2026-03-03T09:00:00.000Z amina daily-lesson-reminder")
  }

  @Test func `an unknown recipient has no agenda`() throws {
    #expect(try stage.agenda(of: "nobody") == nil)
    try stage.take("recipient.deleted", of: "nobody")
    #expect(try stage.agenda(of: "nobody") == nil)
    #expect(try stage.status().recipients == 0)
  }
}

/// Counts commits.
private final class CommitCounter: TransactionObserver {
  private(set) var count = 0

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ database: Database) { count += 1 }
  func databaseDidRollback(_ database: Database) {}
}

extension Agenda.Entry {
  /// The instant at which the entry is sent or dropped, its reminder and its outcome.
  var line: String { "\(at) \(reminder) \(outcome)" }
}
