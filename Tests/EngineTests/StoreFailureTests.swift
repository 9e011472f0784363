import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import Engine

/// Rule S7: if the store fails at any step of a cycle, each request is answered once. The answer is
/// "done" if the request is on disk, otherwise a refusal.
@Suite struct StoreFailureTests {
  /// All answers by request.
  private final class Answers: Sendable {
    private let words = Mutex<[String: [String]]>([:])

    func recorder<Value: Sendable>(_ name: String) -> Answer<Value> {
      { [self] result in
        let word =
          switch result {
          case .success: "done"
          case .failure(let unavailable): "\(unavailable.kind)"
          }
        words.withLock { $0[name, default: []].append(word) }
      }
    }

    var all: [String: [String]] { words.withLock { $0 } }
  }

  /// Returns a service in which one delivery waits for its second attempt.
  private func stage() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["timezone": "UTC"])
    try stage.take("recipient.updated", ["timezone": "UTC"], of: "bilal")
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("milestone.reached", ["days": 7], of: "carim")
    try stage.run(to: "2026-03-02 09:00:02")
    try #require(stage.attempts.count == 1)
    return stage
  }

  /// Requests of every kind, for a cycle in which the retry is due.
  private func requests(_ stage: Stage, _ answers: Answers) throws -> [Request] {
    let event = { (type: String, name: String) in
      try Fixtures.event(
        "x-\(name)", type, of: name, at: stage.now, planner: stage.planner)
    }
    let other = try Fixtures.planner(catalog: Fixtures.notes())
    let configuration = { (planner: Planner) in
      RuntimeConfiguration(
        planner: planner, sinks: stage.sinks, routes: Routes(allTo: stage.sink.name),
        unchangedSinks: [stage.sink.name])
    }
    return [
      .submit([try event("relapse", "amina")], answers.recorder("submit")),
      .adopt(configuration(other), answers.recorder("adopt")),
      .submit([try event("recipient.deleted", "bilal")], answers.recorder("erase")),
      .write(Write(events: [try event("relapse", "dawud")]), answers.recorder("write")),
      .inboxWrite("amina", .readAll, answers.recorder("read")),
      .adopt(configuration(stage.planner), answers.recorder("adopt again")),
    ]
  }

  /// The refused requests, by the step that fails.
  private static let refused: [Sabotage: Set<String>] = [
    .intake: ["submit", "erase", "write", "read", "adopt", "adopt again"],
    .cleaning: ["adopt", "adopt again"],
    .adoption: ["adopt", "adopt again"],
    .dispatch: [],
  ]

  @Test(arguments: Sabotage.allCases)
  func `S7: each request is answered once, whatever step fails`(sabotage: Sabotage) throws {
    let stage = try stage()
    let answers = Answers()
    let requests = try requests(stage, answers)
    try sabotage.begin(in: stage.directory)
    let error = #expect(throws: StoreError.self) {
      try stage.core().turn(requests, now: stage.now + .minutes(1))
    }
    if case .failed? = error {} else { Issue.record("\(String(describing: error))") }
    let refused = Self.refused[sabotage] ?? []
    #expect(answers.all.count == requests.count)
    for (name, words) in answers.all {
      #expect(words == [refused.contains(name) ? "stopping" : "done"], "\(name)")
    }
  }

  @Test func `S7: a request that was answered as done is on disk`() throws {
    let stage = try stage()
    try Sabotage.cleaning.begin(in: stage.directory)
    let relapse = try Fixtures.event(
      "r", "relapse", of: "amina", at: stage.now, planner: stage.planner)
    let erasure = try Fixtures.event(
      "d", "recipient.deleted", of: "bilal", at: stage.now, planner: stage.planner)
    let answer = AnswerBox<[Receipt]>()
    #expect(throws: StoreError.self) {
      try stage.core().turn([.submit([relapse, erasure], answer.take)], now: stage.now)
    }
    #expect(try answer.value().map(\.word) == ["accepted", "accepted"])
    try Sabotage.end(in: stage.directory)
    try stage.restart()
    #expect(try stage.submit([relapse]).map(\.word) == ["duplicate"])
    #expect(try stage.agenda(of: "bilal") == nil)
  }

  @Test func `S7: after a failure, requests are refused and the watchdog is not fed`() throws {
    let stage = try LoopStage(at: "2026-03-02 06:00")
    let answers = Answers()
    try stage.take(at: "2026-03-02 06:30", "relapse", [:], answers.recorder("before"))
    let directory = stage.directory
    stage.host.plan(at: try utc("2026-03-02 07:00")) {
      #expect(throws: Never.self) { try Sabotage.intake.begin(in: directory) }
    }
    try stage.take(at: "2026-03-02 07:30", "relapse", [:], answers.recorder("after"))
    stage.whenStoreFails = { [host = stage.host] _ in
      // A request that comes while the loop is about to end.
      host.requestQueue.post(.submit([], answers.recorder("late")))
    }
    let failure = try stage.run()
    #expect(failure?.isDamage == false)
    #expect(answers.all == ["before": ["done"], "after": ["stopping"], "late": ["stopping"]])
    #expect(stage.host.heartbeats.hasFailed)
    #expect(!stage.host.requestQueue.post(.forgetTest("x")), "the queue is closed")
  }

  @Test func `E3: the engine continues after another program's lock`() throws {
    let stage = try LoopStage(at: "2026-03-02 06:00")
    let answers = Answers()
    try stage.take(at: "2026-03-02 06:30", "relapse", [:], answers.recorder("before"))
    let other = Mutex<DatabaseQueue?>(nil)
    let file = stage.directory.path + "/chimed.sqlite"
    stage.host.plan(at: try utc("2026-03-02 07:00")) {
      #expect(throws: Never.self) {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        other.withLock { $0 = queue }
      }
    }
    try stage.take(at: "2026-03-02 07:30", "relapse", [:], answers.recorder("meanwhile"))
    stage.host.plan(at: try utc("2026-03-02 07:30:05")) {
      #expect(throws: Never.self) {
        let queue = other.withLock(\.self)
        try queue?.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      }
    }
    try stage.take(at: "2026-03-02 08:00", "relapse", [:], answers.recorder("after"))
    try stage.stop(at: "2026-03-02 09:00")
    #expect(try stage.run() == nil)
    #expect(
      answers.all == ["before": ["done"], "meanwhile": ["storeLocked"], "after": ["done"]])
    #expect(!stage.host.heartbeats.hasFailed)
  }

  /// Another program locks the store between a dispatch and its answer.
  @Test func `E11: a stop during a lock names the answers that are not recorded`() throws {
    let other = Mutex<DatabaseQueue?>(nil)
    let file = Mutex("")
    let stage = try LoopStage(at: "2026-03-02 06:00") { deliveries in
      #expect(throws: Never.self) {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let path = file.withLock(\.self)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        other.withLock { $0 = queue }
      }
      return .success(deliveries.map { _ in .delivered })
    }
    file.withLock { $0 = stage.directory.path + "/chimed.sqlite" }
    try stage.take(at: "2026-03-02 06:30", "milestone.reached", ["days": 7])
    try stage.stop(at: "2026-03-02 06:30:02")
    #expect(try stage.run() == nil)
    let remark = try #require(stage.board.remark(on: StatusBoard.end))
    #expect(remark.hasPrefix("the answers of sinks to 1 delivery are not recorded, because an"))
    #expect(remark.contains("has locked the store"))
    try other.withLock { try $0?.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") } }
  }

  @Test func `S7: damage found by a query is reported once and is in the status`() {
    let damage = FoundDamage()
    let reported = Mutex<[String]>([])
    damage.setReceiver { reason in reported.withLock { $0.append(reason) } }
    let error = StoreError.damaged(file: "store", reason: "row 2 is missing")
    damage.note(error)
    damage.note(error)
    damage.note(.failed(reason: "no"))
    #expect(reported.withLock(\.self) == [error.description])
    #expect(damage.reasons == [error.description])
    let answer = ServiceUnavailable(forQuery: error)
    #expect(answer.kind == .failed && answer.description.contains("row 2 is missing"))
  }

  /// A query that meets damage.
  private struct DamagedQuery: EngineQuery {
    func answer(from questions: Questions, now: Instant) throws(StoreError) -> Int {
      throw .damaged(file: "store", reason: "row 2 is missing")
    }
  }

  @Test func `S10: a query that meets damage is refused, and the status names it`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let refusal = #expect(throws: ServiceUnavailable.self) { try stage.query(DamagedQuery()) }
    #expect(refusal?.kind == .failed)
    #expect(try stage.status().dataWarnings.contains { $0.contains("row 2 is missing") })
  }

  // MARK: - Answers

  @Test func `S7: only the first answer is given`() {
    let answers = Answers()
    let open = OpenAnswer<Int>(answers.recorder("open"))
    open.give(.success(1))
    open.give(.success(2))
    #expect(answers.all == ["open": ["done"]])
  }

  @Test func `S7: a request whose answer is never given is refused`() {
    let answers = Answers()
    var open: OpenAnswer<Int>? = OpenAnswer(answers.recorder("open"))
    #expect(open != nil)
    open = nil
    #expect(answers.all == ["open": ["stopping"]])
  }
}
