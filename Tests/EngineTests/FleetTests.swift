import Access
import CivilTime
import Fleet
import JSON
import Outbox
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

@testable import Engine

/// Two engines on one database: each serves its own recipients, and takes over the recipients of an
/// engine that leaves or dies.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetTests {
  private static let count = 600

  private let planner: Planner
  private let town: FleetTown

  init() throws {
    planner = try Fixtures.planner(catalog: Fixtures.notes())
    town = try FleetTown(planner: planner, at: utc("2026-03-02 09:00"), "a", "b")
  }

  private func event(_ identifier: String, of recipient: String) throws -> Event {
    try Fixtures.event(identifier, "relapse", of: recipient, at: town.now, planner: planner)
  }

  /// Submits a burst that is due at noon, half of it on each engine.
  private func prepareBurst() throws {
    #expect(try town.acquire([0, 1, 2, 3], by: "a") == [0, 1, 2, 3])
    #expect(try town.acquire(FleetTown.allShards, by: "b") == [4, 5, 6, 7])
    try town.submit((0..<Self.count).map { try event("first \($0)", of: "r\($0)") })
  }

  /// Returns the name of a recipient that a node owns.
  private func recipient(of name: String) throws -> String {
    let node = try town[name]
    let names = (0..<Self.count).map { "r\($0)" }
    return try #require(names.first { node.owns(node.store.readers.shard(of: $0)) })
  }

  /// Expects that every recipient was notified once, apart from at most `repetitionsMax` deliveries
  /// that were repeated with the same ids.
  private func expectEveryoneNotified(repetitionsMax: Int = 0) throws {
    let attempts = Dictionary(grouping: town.attempts, by: \.recipient)
    #expect(attempts.count == Self.count)
    #expect(attempts.values.allSatisfy { Set($0.map(\.identifier)).count == 1 })
    #expect(town.attempts.count - Self.count <= repetitionsMax)
    #expect(try outcomeCount() == Int64(Self.count))
  }

  /// Expects that no acknowledged event is missing.
  private func expectAllEvents(at name: String) throws {
    let receipts = try town.submit(town.acknowledged, to: name)
    #expect(receipts.count { $0.word == "duplicate" } == town.acknowledged.count)
  }

  private func outcomeCount() throws -> Int64 {
    var count: Int64 = 0
    try PostgresConnection(town.database.location).query(
      "SELECT count(*) FROM chimed.notification"
    ) { count = $0.integer(0) }
    return count
  }

  // MARK: - Ownership

  @Test func `each node serves only its own recipients`() throws {
    try prepareBurst()
    let name = try recipient(of: "b")
    let receipts = try town.submit([try event("x", of: name)], to: "a")
    #expect(receipts.map(\.word) == ["elsewhere"])
    let refused = try town.ask("a") { .inboxWrite(name, .readAll, $0) }
    let error = #expect(throws: ServiceUnavailable.self) { _ = try refused.value() }
    #expect(error?.kind == .elsewhere)
    let accepted = try town.ask("b") { .inboxWrite(name, .readAll, $0) }
    #expect(try accepted.value() != nil)
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified()
    try expectAllEventsAtTheirOwners()
  }

  private func expectAllEventsAtTheirOwners() throws {
    for name in ["a", "b"] {
      let words = try town.submit(town.acknowledged, to: name).map(\.word)
      #expect(Set(words) == ["duplicate", "elsewhere"])
    }
  }

  /// Any node answers queries except streams, which need the engine that decides.
  @Test func `any node answers queries`() throws {
    try prepareBurst()
    let name = try recipient(of: "b")
    let core = try town["a"].core
    let agenda = try core.questions.answer(AgendaQuery(of: name), now: town.now)
    #expect(agenda?.entries.isEmpty == false)
    let query = WatchQuery(name, from: nil, signal: StreamSignal())
    let answer = try core.questions.answer(query, now: town.now)
    guard case .elsewhere(let shard) = answer else { throw UnexpectedAnswer() }
    #expect(try shard == town.shard(of: name))
  }

  // MARK: - Shards that move

  @Test func `a shard that moves keeps its schedules`() throws {
    try prepareBurst()
    try town.move([0, 1], from: "a", to: "b")
    try town.move([0, 4, 5], from: "b", to: "a")
    #expect(try town["a"].core.shards.ownership == .shards([0, 2, 3, 4, 5]))
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified()
    let counts = try ["a", "b"].map { try town[$0].core.schedule.recipients }
    #expect(counts.reduce(0, +) == Self.count)
  }

  /// Deliveries in flight are answered before their shard moves; the others move with the shard.
  @Test func `a move waits for the sink's answer`() throws {
    try prepareBurst()
    try town["a"].isMute = true
    try town.run(to: utc("2026-03-02 12:00:01"))
    let answer = try town.ask("a") { .release([0, 1], $0) }
    #expect(!answer.hasResult)
    #expect(try town.acquire([0, 1], by: "b") == [])
    let moved = try (0..<Self.count).map { "r\($0)" }.filter { try town.shard(of: $0) < 2 }
    let receipts = try town.submit([try event("x", of: moved[0])], to: "a")
    #expect(receipts.map(\.word) == ["elsewhere"])
    try town.answer("a")
    #expect(answer.hasResult)
    try town["a"].membership.free([0, 1])
    #expect(try town.acquire([0, 1], by: "b") == [0, 1])
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified()
  }

  @Test func `after a move, the next owner sends the deliveries that a failing sink gave back`()
    throws
  {
    try prepareBurst()
    try town["a"].isMute = true
    try town.run(to: utc("2026-03-02 12:00:01"))
    let answer = try town.ask("a") { .release([0, 1], $0) }
    let node = try town["a"]
    for batch in node.world.takeBatches() {
      try node.core.turn(
        [.sinkAnswered(lane: batch.lane, .failure(SinkOutage("gone")))], now: town.now)
    }
    node.isMute = false
    #expect(answer.hasResult)
    try town["a"].membership.free([0, 1])
    #expect(try town.acquire([0, 1], by: "b") == [0, 1])
    try town.run(to: utc("2026-03-02 12:30"))
    try expectEveryoneNotified()
  }

  /// The streams of moved recipients end and can be opened on the other node.
  @Test func `a move ends the recipients' streams`() throws {
    try prepareBurst()
    let name = try recipient(of: "a")
    let signal = StreamSignal()
    let answer = try town["a"].core.questions.answer(
      WatchQuery(name, from: nil, signal: signal), now: town.now)
    guard case .watching = answer else { throw UnexpectedAnswer() }
    try town.move([try town.shard(of: name)], from: "a", to: "b")
    #expect(signal.take() == .stopping)
  }

  private struct UnexpectedAnswer: Error {}

  // MARK: - A node that dies

  @Test func `a node takes over when another node's connection ends`() throws {
    try prepareBurst()
    try town["a"].isMute = true
    try town.run(to: utc("2026-03-02 12:00:01"))
    let dispatched = try town["a"].world.dispatched.count
    #expect(dispatched > 0)
    try town.replace("a", with: "b")
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified(repetitionsMax: dispatched)
    try expectAllEvents(at: "b")
  }

  @Test func `D9: nodes that join again do not restart the wait of a suspect delivery`() throws {
    for name in ["c", "d", "e"] { try town.join(name) }
    for name in ["a", "b"] { try town[name].isMute = true }
    try town.acquire(FleetTown.allShards, by: "a")
    try town.submit([try event("1", of: "r0")])
    try town.run(to: utc("2026-03-02 12:00"))
    try town.replace("a", with: "b")
    try town.run(to: town.now + .seconds(1))
    try town.replace("b", with: "c")
    let due = town.now + .seconds(5)
    for (node, successor) in [("c", "d"), ("d", "e")] {
      try town.run(to: town.now + .seconds(2))
      try town.replace(node, with: successor, .own)
    }
    try town.run(to: due - .milliseconds(1))
    #expect(town.attempts.count == 2)
    try town.run(to: due)
    #expect(town.attempts.count == 3 && Set(town.attempts.map(\.identifier)).count == 1)
  }

  /// The node's action when it is terminated.
  enum Moment: String, CaseIterable {
    /// The node writes a burst.
    case writing = "BEFORE INSERT ON chimed.notification FOR EACH STATEMENT"
    /// The node commits.
    case committing =
      "AFTER UPDATE ON chimed.lane DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"

    var kind: String { self == .committing ? "CONSTRAINT TRIGGER" : "TRIGGER" }

    var table: String { self == .committing ? "lane" : "notification" }
  }

  @Test(arguments: Moment.allCases)
  func `a node takes over when another ends in the middle of a burst`(_ moment: Moment) throws {
    try prepareBurst()
    let other = try PostgresConnection(town.database.location)
    try other.run(
      script: """
        CREATE FUNCTION chimed.die() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE \(moment.kind) die \(moment.rawValue) EXECUTE FUNCTION chimed.die();
        """)
    // The first node that writes or commits is terminated.
    #expect(throws: StoreError.self) { try town.run(to: utc("2026-03-02 12:01")) }
    let successor = try replaceDeadNode(
      among: ["a", "b"], connection: other, "DROP TRIGGER die ON chimed.\(moment.table)")
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified()
    try expectAllEvents(at: successor)
  }

  /// Replaces the node that cannot continue by the other node.
  ///
  /// - Returns: The name of the other node.
  private func replaceDeadNode(
    among names: [String], connection: PostgresConnection, _ script: String
  ) throws -> String {
    try connection.run(script: script)
    let deadNode = try #require(
      names.first { name in (try? town[name].store.commit { try $0.lanes() }) == nil })
    let successor = try #require(names.first { $0 != deadNode })
    try town.replace(deadNode, with: successor)
    return successor
  }

  /// Committed outcomes stay and are not decided again.
  @Test func `a node takes over when another node does not know the result of its commit`() throws {
    var forgetful: ForgetfulStore?
    try town.join("c") { store in
      let wrapped = ForgetfulStore(store)
      forgetful = wrapped
      return wrapped
    }
    #expect(try town.acquire(FleetTown.allShards, by: "c").count == FleetTown.shardCount)
    try town.submit((0..<Self.count).map { try event("first \($0)", of: "r\($0)") })
    try town.run(to: utc("2026-03-02 11:59:59"))
    forgetful?.isForgetful = true
    #expect(throws: StoreError.self) { try town.run(to: utc("2026-03-02 12:01")) }
    try town.replace("c", with: "a")
    try town.run(to: utc("2026-03-02 12:02"))
    try expectEveryoneNotified()
    try expectAllEvents(at: "a")
  }

  /// The other shards have no plan yet, so the fleet's shards have different plans.
  @Test func `T10: after nodes died while replanning, the next node withdraws ended reminders`()
    throws
  {
    try holdNote()
    for (node, successor) in [("a", "c"), ("c", "d")] {
      try town.join(successor)
      try town.replace(node, with: successor)
    }
    try town.run(to: town.now)
    try expectWithdrawn(by: "d")
  }

  @Test func `T10: an interrupted replan's former plan is kept beside shards with current plans`()
    throws
  {
    try holdNote()
    for name in ["c", "d", "e", "f"] { try town.join(name) }
    try town.acquire([(town.shard(of: "amina") + 1) % FleetTown.shardCount], by: "c")
    try town.replace("a", with: "d")
    // The next node gets the shard of "c" together with the one whose replanning was interrupted.
    try town.evict("c")
    for (node, successor) in [("d", "e"), ("e", "f")] { try town.replace(node, with: successor) }
    try town.run(to: town.now)
    try expectWithdrawn(by: "f")
  }

  /// Lets quiet hours hold an occurrence of `note`. Nodes that join later have a catalog without
  /// this reminder.
  private func holdNote() throws {
    try town.acquire([town.shard(of: "amina")], by: "a")
    let quietHours: JSONValue = [
      "quietHours": ["enabled": true, "start": "11:00", "end": "13:00"]
    ]
    try town.submit([
      try Fixtures.event(
        "1", "preferences.updated", of: "amina", at: town.now, quietHours, planner: planner)
    ])
    try town.run(to: utc("2026-03-02 12:30"))
    town.planner = try Fixtures.planner(catalog: Fixtures.notes(reminder: "other", at: "16:00"))
  }

  private func expectWithdrawn(by name: String) throws {
    let page = try town[name].core.questions.answer(
      ExportQuery(of: "amina", .notifications(after: 0)), now: town.now)
    let notifications = page?.notifications ?? []
    #expect(
      notifications.map(\.message.reminder) == ["note"]
        && notifications.map(\.outcome) == [.dropped])
    #expect(notifications.map(\.trace.reasons) == [["quiet_hours", "withdrawn"]])
  }

  // MARK: - Resources of the fleet

  /// A refresh request makes a node read the changes of the other nodes.
  @Test func `tokens and paused sinks are shared by all nodes`() throws {
    try prepareBurst()
    let token = TokenRecord(
      identifier: "t", name: "t", scope: .administrator, digest: Array(0..<32), created: town.now)
    _ = try town.ask("a") { .token(.add(token), $0) }.value()
    #expect(try town.ask("a") { .pauseSink("test", true, $0) }.value())
    let core = try town["b"].core
    #expect(core.tokens["t"] == nil)
    try town.turn("b", [.refresh])
    #expect(core.tokens["t"] == token)
    #expect(core.outbox.dispatcher.paused == ["test"])
  }

  /// The submissions together are larger than a page of the export.
  @Test func `H4: all rejected submissions are exported, including large submissions`() throws {
    try prepareBurst()
    try PostgresConnection(town.database.location).run(
      script: """
        INSERT INTO chimed.refused
        SELECT number, now(), 'r0', repeat('x', 1 << 20), 'no ' || number
        FROM generate_series(1, 20) AS number
        """)
    let core = try town["a"].core
    var refused: [String] = []
    var cursor: ExportPage.Cursor? = .events(from: nil)
    while let next = cursor {
      let page = try core.questions.answer(ExportQuery(of: "r0", next), now: town.now)
      refused += page?.refused.map(\.reason) ?? []
      cursor = page?.next
    }
    #expect(refused == (1...20).map { "no \($0)" })
  }

  @Test func `a reload replans only the node's own recipients`() throws {
    try prepareBurst()
    let configuration = RuntimeConfiguration(
      planner: try Fixtures.planner(catalog: Fixtures.notes(at: "11:00")), sinks: [FleetTown.sink],
      routes: Routes(allTo: FleetTown.sink.name), unchangedSinks: [FleetTown.sink.name])
    _ = try town.ask("a") { .adopt(configuration, $0) }.value()
    try town.run(to: utc("2026-03-02 11:01"))
    let notified = Set(town.attempts.map(\.recipient))
    let node = try town["a"]
    #expect(notified.count == node.core.schedule.recipients)
    #expect(notified.allSatisfy { node.owns(node.store.readers.shard(of: $0)) })
    // A shard with another plan is replanned by its next owner.
    try town.move([0], from: "a", to: "b")
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified(repetitionsMax: 0)
  }

  @Test func `a dead letter is sent again only by its recipient's owner`() throws {
    try prepareBurst()
    let node = try town["a"]
    node.isMute = true
    try town.run(to: utc("2026-03-02 12:00:01"))
    for batch in node.world.takeBatches() {
      let answers = batch.deliveries.map { _ in SinkAnswer.rejected(reason: "no") }
      try node.core.turn([.sinkAnswered(lane: batch.lane, .success(answers))], now: town.now)
    }
    let write = DeadLetterWrite(.resend, .page(DeadLettersQuery(limit: 1)))
    let otherAnswer = try town.ask("b") { .deadLetterWrite(write, $0) }.value()
    #expect(otherAnswer?.outcomes.first.map { "\($0.1)" } == "kept(reasons: [\"elsewhere\"])")
    let answer = try town.ask("a") { .deadLetterWrite(write, $0) }.value()
    #expect(answer?.outcomes.first.map { "\($0.1)" } == "resent(sink: \"test\")")
  }

  // MARK: - Trust

  @Test func `a node without trust neither ingests nor fires`() throws {
    try prepareBurst()
    let trust = TrustDeadline(until: .seconds(1), clock: { .seconds(2) })
    let node = try town["a"]
    node.core.shards.trust = trust
    let answer = AnswerBox<[Receipt]>()
    try node.core.turn(
      [.submit([try event("x", of: recipient(of: "a"))], answer.take)],
      now: utc("2026-03-02 12:00:01"))
    let error = #expect(throws: ServiceUnavailable.self) { _ = try answer.value() }
    #expect(error?.kind == .elsewhere)
    #expect(try outcomeCount() == 0)
    #expect(!node.world.hasBatches)
    #expect(trust.move(to: .seconds(3)))
    try town.run(to: utc("2026-03-02 12:01"))
    try expectEveryoneNotified()
  }
}
