import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Synchronization
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rules D5 and D9: dead letters and test notifications.
@Suite struct DeadLetterTests {
  let stage: Stage

  init() throws {
    stage = try Stage(
      catalog: Fixtures.notes(reminder: "note", expires: "12h"), at: "2026-03-02 09:00")
    stage.reply = { .success($0.map { _ in .rejected(reason: "gone") }) }
    for name in ["amina", "bilal", "chadi"] { try stage.take("relapse", of: name) }
    try stage.run(to: "2026-03-02 12:00")
    stage.reply = Stage.accepting
  }

  private func deadLetterPage(
    _ query: DeadLettersQuery = DeadLettersQuery()
  ) throws -> DeadLetterPage {
    try stage.query(query)
  }

  private func write(
    _ action: DeadLetterWrite.Action, _ choice: DeadLetterWrite.Choice
  ) throws -> [String]? {
    let answer = AnswerBox<DeadLetterReceipt?>()
    try stage.turn([.deadLetterWrite(DeadLetterWrite(action, choice), answer.take)])
    return try answer.value()?.outcomes.map { "\($0.outcome)" }
  }

  @Test func `D9: dead letters are listed in pages`() throws {
    let first = try deadLetterPage(DeadLettersQuery(limit: 2))
    #expect(first.letters.map(\.delivery.recipient) == ["amina", "bilal"])
    #expect(first.letters.map(\.reason) == ["gone", "gone"])
    let last = try deadLetterPage(DeadLettersQuery(after: first.next, limit: 2))
    #expect(last.letters.map(\.delivery.recipient) == ["chadi"])
    #expect(last.next == nil)
    #expect(try deadLetterPage(DeadLettersQuery(DeadLetterFilter(sink: "other"))).letters.isEmpty)
    #expect(try stage.status().deadLetters == 3)
    #expect(StatusReporter.line(try stage.status()).contains("; 3 dead letters"))
  }

  @Test func `D9: a dead letter that is sent again keeps its id`() throws {
    let letter = try #require(try deadLetterPage().letters.first)
    #expect(try write(.resend, .one(letter.identifier)) == ["resent(sink: \"test\")"])
    try stage.run(to: stage.now)
    #expect(stage.delivered.map(\.identifier) == [letter.delivery.identifier])
    #expect(try deadLetterPage().letters.count == 2)
    #expect(try write(.resend, .one(letter.identifier)) == nil)
    #expect(try write(.resend, .one("nonsense")) == nil)
  }

  @Test func `V7: a dead letter that the gates hold is sent when the hold ends`() throws {
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "15:00"]])
    let letter = try #require(try deadLetterPage().letters.first)
    let outcome = try #require(try write(.resend, .one(letter.identifier))?.first)
    #expect(outcome.contains("2026-03-02T15:00") && outcome.contains("quiet_hours"))
    try stage.run(to: "2026-03-02 14:59")
    #expect(stage.delivered.isEmpty)
    try stage.run(to: "2026-03-02 15:00")
    #expect(stage.delivered.count == 1)
  }

  @Test func `V7: a dead letter that the gates drop stays a dead letter`() throws {
    stage.reply = nil
    try stage.run(to: "2026-03-03 01:00")
    #expect(
      try write(.resend, .page(DeadLettersQuery(DeadLetterFilter(sink: "test"))))
        == Array(repeating: "kept(reasons: [\"expired\"])", count: 3))
    #expect(try deadLetterPage().letters.count == 3)
    #expect(
      try write(.discard, .page(DeadLettersQuery(DeadLetterFilter(sink: "test"), limit: 2)))
        == ["discarded", "discarded"])
    #expect(try deadLetterPage().letters.map(\.delivery.recipient) == ["chadi"])
  }

  // MARK: - Test notifications

  private func send(
    _ channel: Channel = .push, to name: String = "amina"
  ) throws -> (receipt: TestReceipt?, steps: Steps) {
    let (answer, steps) = (AnswerBox<TestReceipt?>(), Steps())
    let parameters = TestParameters(channel: channel, title: "Hello", body: "A test.")
    try stage.turn([.test(name, parameters, steps.add, answer.take)])
    return (try answer.value(), steps)
  }

  @Test func `D5: a test notification reports each step`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    let (receipt, steps) = try send()
    #expect(receipt?.obstacle == nil && receipt?.sinks == ["test"])
    #expect(steps.names == ["dispatched", "attempted", "next"])
    stage.reply = Stage.accepting
    try stage.run(to: stage.now + .seconds(6))
    #expect(
      steps.names == ["dispatched", "attempted", "next", "dispatched", "attempted", "delivered"])
    #expect(stage.delivered.map(\.title) == ["Hello"])
    #expect(stage.delivered.map(\.identifier) == [receipt?.notification])
    #expect(try stage.core().outbox.testObservers.isEmpty)
  }

  @Test func `D5: a failing test notification reports the failure`() throws {
    stage.reply = { .success($0.map { _ in .rejected(reason: "never") }) }
    #expect(try send().steps.names == ["dispatched", "attempted", "deadLetter"])
    #expect(try send(to: "nobody").receipt == nil)
  }

  @Test func `D5: quiet hours do not hold a test notification`() throws {
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "11:00", "end": "15:00"]])
    #expect(try send().steps.names.last == "delivered")
  }

  @Test func `D5: a test notification that cannot reach its recipient is not sent`() throws {
    try stage.take("permission.changed", ["channel": "push", "status": "denied"])
    let (receipt, steps) = try send()
    #expect(receipt?.obstacle == "the recipient has denied push")
    #expect(steps.names.isEmpty && stage.delivered.isEmpty)
  }
}

/// The reported steps of a test notification.
private final class Steps: Sendable {
  private let steps = Mutex<[TestStep]>([])

  var add: TestObserver {
    { [self] step in steps.withLock { $0.append(step) } }
  }

  var names: [String] {
    steps.withLock { $0.map { "\($0)".prefix { $0 != "(" }.description } }
  }
}
