import CivilTime
import JSON
import Outbox
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rules F3 and G5: the node that owns a named recipient ingests the recipient's copy, once.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetCopyTests {
  private let planner: Planner
  private let town: FleetTown

  init() throws {
    planner = try Fixtures.planner(catalog: Fixtures.visits)
    town = try FleetTown(planner: planner, at: utc("2026-03-02 09:00"), "a", "b")
  }

  private func acquireShards(_ first: String = "a", _ second: String = "b") throws {
    try town.acquire([0, 1, 2, 3], by: first)
    try town.acquire(FleetTown.allShards, by: second)
  }

  /// Returns the name of a recipient that a node owns.
  private func recipient(of name: String) throws -> String {
    let node = try town[name]
    return try #require(
      (0..<100).map { "r\($0)" }.first { node.owns(node.store.readers.shard(of: $0)) })
  }

  private func booking(
    _ identifier: String, of patient: String, _ carer: String, visit: String? = nil,
    hasTime: Bool = true
  ) throws -> Event {
    var event: JSONValue = [
      "specversion": "1.0", "id": .string(identifier), "source": "test", "type": "booked",
      "subject": .string(patient), "time": .string(town.now.description),
      "data": [
        "visit": .string(visit ?? identifier), "at": "2026-03-02T10:00:00Z",
        "carer": .string(carer),
      ],
    ]
    if !hasTime, case .object(var members) = event {
      members["time"] = nil
      event = .object(members)
    }
    return try EventReader(planner: planner).event(event, now: town.now)
  }

  private func submit(_ event: Event, to name: String) throws -> String? {
    try town.submit([event], to: name).first?.word
  }

  private func attemptCount(_ recipient: String) -> Int {
    town.attempts.count { $0.recipient == recipient }
  }

  private func count(_ rows: String) throws -> Int64 {
    var count: Int64 = -1
    try PostgresConnection(town.database.location).query("SELECT count(*) FROM chimed.\(rows)") {
      count = $0.integer(0)
    }
    return count
  }

  private func expectOneCopy(_ carer: String) throws {
    try town.run(to: utc("2026-03-02 11:00"))
    #expect(attemptCount(carer) == 1)
    #expect(try count("event WHERE type = 'booked'") == 1)
    #expect(try count("event WHERE type = 'booked > carer'") == 1)
    #expect(try count("submission") == 0)
    #expect(try count("refused") == 0)
  }

  @Test(arguments: [true, false])
  func `F3: a copy for another node's recipient is ingested by that node`(hasTime: Bool) throws {
    try acquireShards()
    let (patient, carer) = (try recipient(of: "a"), try recipient(of: "b"))
    let booking = try booking("1", of: patient, carer, hasTime: hasTime)
    #expect(try submit(booking, to: "a") == "accepted")
    #expect(try submit(booking, to: "a") == "duplicate")
    #expect(try count("submission WHERE is_copy") == 1)
    // A node that does not own the carer does not ingest the copy.
    try town.ingestSubmissions("a")
    #expect(try count("submission") == 1)
    try town.ingestSubmissions("b", "b")
    #expect(try submit(booking, to: "a") == "duplicate")
    try town.ingestSubmissions("b")
    try expectOneCopy(carer)
    let times = try town["b"].store.commit { transaction in
      let stored = try #require(try transaction.recipient(named: carer))
      return try transaction.allEvents(of: stored).map { ($0.time, $0.isTimeGiven) }
    }
    #expect(try times.map(\.0) == [utc("2026-03-02 09:00")])
    #expect(times.map(\.1) == [hasTime])
  }

  /// A carer's event with the id of the patient's event is a different event.
  @Test func `E1: a copy does not conflict with an event of the same id`() throws {
    try acquireShards()
    let (patient, carer) = (try recipient(of: "a"), try recipient(of: "b"))
    #expect(try submit(booking("1", of: patient, carer), to: "a") == "accepted")
    #expect(try submit(booking("2", of: carer, patient), to: "b") == "accepted")
    try town.ingestSubmissions("a", "b")
    let conflicting = try submit(booking("1", of: carer, "nobody"), to: "b")
    #expect(conflicting?.hasPrefix("refused") == true)
    #expect(try submit(booking("3", of: carer, patient), to: "b") == "accepted")
    try town.ingestSubmissions("a", "b")
    try town.run(to: utc("2026-03-02 11:00"))
    #expect(attemptCount(carer) == 1)
    #expect(attemptCount(patient) == 2)
  }

  /// The patient belongs to one node and the previous carer to another node.
  @Test func `G5: a booking that names another carer reaches the previous carer's owner`() throws {
    try acquireShards()
    let (patient, carer) = (try recipient(of: "a"), try recipient(of: "b"))
    for (identifier, name) in [("1", carer), ("2", patient)] {
      let event = try booking(identifier, of: patient, name, visit: "1")
      #expect(try submit(event, to: "a") == "accepted")
    }
    try town.ingestSubmissions("b")
    try town.run(to: utc("2026-03-02 11:00"))
    #expect(attemptCount(carer) == 0)
    #expect(try count("event WHERE type = 'booked > carer, withdrawn'") == 1)
    #expect(try count("submission") == 0)
    #expect(try count("refused") == 0)
  }

  enum Death: CaseIterable {
    /// The node that ingested the event, before the other node has read the copy.
    case patientNode
    /// The node that is to ingest the copy.
    case carerNode
    /// The node that ingested the event and does not know whether the event is committed.
    case doubtfulPatientNode
    /// The node that ingested the copy and does not know whether the copy is committed.
    case doubtfulCarerNode
  }

  @Test(arguments: Death.allCases)
  func `F3: a copy is ingested once, whichever node dies`(_ death: Death) throws {
    var forgetful: ForgetfulStore?
    try town.join("c") { store in
      let wrapped = ForgetfulStore(store)
      forgetful = wrapped
      return wrapped
    }
    let (patientNode, carerNode) =
      [.doubtfulCarerNode, .carerNode].contains(death) ? ("a", "c") : ("c", "a")
    try acquireShards(patientNode, carerNode)
    let (patient, carer) = (try recipient(of: patientNode), try recipient(of: carerNode))
    let event = try booking("1", of: patient, carer)
    forgetful?.isForgetful = death == .doubtfulPatientNode
    if death == .doubtfulPatientNode {
      #expect(throws: StoreError.self) { try town.turn("c", [.submit([event]) { _ in }]) }
    } else {
      #expect(try submit(event, to: patientNode) == "accepted")
    }
    if death == .doubtfulCarerNode {
      forgetful?.isForgetful = true
      #expect(throws: StoreError.self) { try town.ingestSubmissions("c") }
    }
    try town.replace("c", with: "b")
    let successor = patientNode == "c" ? "b" : "a"
    #expect(try submit(event, to: successor) == "duplicate")
    try town.ingestSubmissions("a", "b")
    try expectOneCopy(carer)
  }

  /// A copy older than an erasure brings no recipient back and is not kept.
  @Test func `H4: an erased carer gets no copy`() throws {
    try acquireShards()
    let (patient, carer) = (try recipient(of: "a"), try recipient(of: "b"))
    #expect(try submit(booking("1", of: patient, carer), to: "a") == "accepted")
    try town.run(to: utc("2026-03-02 09:30"))
    let erasure = try Fixtures.event(
      "2", "recipient.deleted", of: carer, at: town.now, planner: planner)
    #expect(try submit(booking("3", of: carer, "nobody"), to: "b") == "accepted")
    #expect(try submit(erasure, to: "b") == "accepted")
    try town.ingestSubmissions("a", "b")
    try town.run(to: utc("2026-03-02 11:00"))
    #expect(attemptCount(carer) == 0)
    #expect(try count("submission") == 0)
    #expect(try count("refused") == 0)
  }

  @Test func `a copy that the owner's catalog does not declare is stored as refused`() throws {
    try acquireShards()
    let (patient, carer) = (try recipient(of: "a"), try recipient(of: "b"))
    #expect(try submit(booking("1", of: patient, carer), to: "a") == "accepted")
    let other = RuntimeConfiguration(
      planner: try Fixtures.planner(catalog: Fixtures.notes()), sinks: [FleetTown.sink],
      routes: Routes(allTo: FleetTown.sink.name), unchangedSinks: [FleetTown.sink.name])
    _ = try town.ask("b") { .adopt(other, $0) }.value()
    try town.ingestSubmissions("b")
    let refused = try town["b"].store.readers.read {
      try $0.refusedSubmissions(of: carer, after: 0, bytes: 1 << 20)
    }
    #expect(refused.map(\.reason).first?.contains("no catalog of this node declares it") == true)
    #expect(try count("submission") == 0)
  }

  @Test func `H7: rejected events are removed after 30 days, without another rejection`() throws {
    try acquireShards()
    let connection = try PostgresConnection(town.database.location)
    for (number, days) in [(1, 29), (2, 31)] {
      let at = (town.now - .days(days)).milliseconds
      try connection.run(
        script: """
          INSERT INTO chimed.refused
            VALUES (\(number), to_timestamp(\(at)::float8 / 1000), 'amina', '{}', 'why')
          """)
    }
    try town["a"].core.maintenance.pruning.retention = Retention()
    try town.run(to: town.now + .minutes(2))
    #expect(try count("refused WHERE id = 1") == 1)
    #expect(try count("refused") == 1)
  }
}
