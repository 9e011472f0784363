import CivilTime
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import TestSupport
import Testing

/// Events that an app submits in its own transaction (`chimed.submit`).
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct SubmissionTests {
  private let database: TemporaryPostgresDatabase
  private let store: PostgresStore
  private let app: PostgresConnection

  init() throws {
    database = try TemporaryPostgresDatabase()
    store = try PostgresStore.making(in: database)
    app = try PostgresConnection(database.location)
  }

  private func event(_ identifier: String, of recipient: String = "amina") -> String {
    """
    {"specversion": "1.0", "id": "\(identifier)", "source": "shop", "type": "relapse", \
    "subject": "\(recipient)"}
    """
  }

  private func submit(_ event: String) throws {
    try app.query("SELECT chimed.submit($1)", [.text(event)]) { _ in }
  }

  private func waitingSubmissions(_ limit: Int = 10) throws -> [String] {
    try store.commit { try $0.submissions(limit: limit, bytes: 1 << 20) }.map { $0.text ?? "" }
  }

  @Test func `only committed submissions are visible, in their order`() throws {
    try app.run(script: "BEGIN")
    try submit(event("1"))
    #expect(try waitingSubmissions() == [])
    try app.run(script: "ROLLBACK")
    #expect(try waitingSubmissions() == [])
    try app.run(script: "BEGIN")
    for number in 2...4 { try submit(event("\(number)")) }
    try app.run(script: "COMMIT")
    #expect(try waitingSubmissions() == [event("2"), event("3"), event("4")])
    #expect(try waitingSubmissions(2) == [event("2"), event("3")])
  }

  @Test func `the function accepts text and jsonb`() throws {
    try app.run(
      script: "SELECT chimed.submit('\(event("1"))'); SELECT chimed.submit('\(event("2"))'::jsonb)")
    let found = try waitingSubmissions()
    #expect(found.first == event("1"))
    #expect(found.count == 2 && found[1].contains(#""id": "2""#), "\(found)")
  }

  @Test(arguments: [
    ("3", "takes one event, an object; this is a number"),
    ("[]", "takes one event, an object; this is an array"),
    (#""x""#, "takes one event, an object; this is a string"),
    ("null", "takes one event, an object; this is null"),
    (#"{"specversion": "1.0", "id": "1", "source": "a", "type": "b"}"#, #"event's "subject" must"#),
    (
      #"{"specversion": "1.0", "id": 1, "source": "a", "type": "b", "subject": "c"}"#,
      #"event's "id" must be a text of 1 to 256 characters"#
    ),
    ("nonsense", "invalid input syntax for type json"),
  ])
  func `an invalid event fails the app's transaction`(text: String, complaint: String) throws {
    let error = #expect(throws: PostgresError.self) { try submit(text) }
    #expect("\(try #require(error))".contains(complaint), "\(error.map { "\($0)" } ?? "")")
    #expect(try waitingSubmissions() == [])
  }

  private func event(_ identifier: String, bytes: Int) -> String {
    let event = event(identifier)
    return event + String(repeating: " ", count: bytes - event.utf8.count)
  }

  /// Inserts an event unchecked, like `chimed.submit` of older versions.
  private func submitUnchecked(_ event: String) throws {
    try app.query(
      "INSERT INTO chimed.submission (shard, event) VALUES (0, $1)", [.text(event)]
    ) { _ in }
  }

  @Test func `H6: chimed.submit refuses an event of more than 1 MiB`() throws {
    let error = #expect(throws: PostgresError.self) {
      try submit(event("1", bytes: 1 << 20 + 1))
    }
    #expect("\(try #require(error))".contains("1048577 bytes, and chimed.submit takes 1048576"))
    try submit(event("2", bytes: 1 << 20))
    #expect(try waitingSubmissions().map(\.utf8.count) == [1 << 20])
  }

  @Test func `H6: a poll stops at the event that reaches its byte limit`() throws {
    for number in 1...6 { try submit(event("\(number)", bytes: 1_000)) }
    func count(bytes: Int) throws -> Int {
      try store.commit { try $0.submissions(limit: 5, bytes: bytes) }.count
    }
    #expect(try count(bytes: 1) == 1)
    #expect(try count(bytes: 1_000) == 1)
    #expect(try count(bytes: 1_001) == 2)
    #expect(try count(bytes: 3_500) == 4)
    #expect(try count(bytes: 1 << 20) == 5)
  }

  @Test func `H6: a stored event of more than 1 MiB is refused unread`() throws {
    try submitUnchecked(event("1", bytes: 3 << 20))
    try submitUnchecked(event("2"))
    let found = try store.commit { try $0.submissions(limit: 9, bytes: 1_000) }
    #expect(found.map(\.text) == [nil, event("2")])
    try store.commit {
      try $0.settle([FinishedSubmission(number: found[0].number, refusal: "why")])
    }
    let refused = try store.refused(of: "amina")
    #expect(refused.map { $0.text.utf8.count <= 64 << 10 } == [true])
    #expect(refused.first?.text.hasPrefix(event("1")) == true)
  }

  @Test func `H4: rejected submissions are read in pages of a limited size`() throws {
    for number in 1...5 { try submit(event("\(number)", bytes: 1_000)) }
    let found = try store.commit { try $0.submissions(limit: 9, bytes: 1 << 20) }
    try store.commit {
      try $0.settle(
        found.map { FinishedSubmission(number: $0.number, refusal: "\($0.number)") })
    }
    func page(after number: Int64, _ bytes: Int) throws -> [Int64] {
      try store.refused(of: "amina", after: number, bytes: bytes).map(\.number)
    }
    let numbers = found.map(\.number)
    #expect(try page(after: 0, 1) == [numbers[0]])
    #expect(try page(after: 0, 2_001) == Array(numbers[..<3]))
    #expect(try page(after: numbers[2], 1 << 20) == Array(numbers[3...]))
    #expect(try page(after: numbers[4], 1 << 20) == [])
  }

  @Test func `H4: an oversized rejected event is shortened and hides no other`() throws {
    try app.run(
      script: """
        INSERT INTO chimed.refused VALUES (1, now(), 'amina', 'first', 'no'),
          (2, now(), 'amina', repeat('x', 20 << 20), 'no'), (3, now(), 'amina', 'last', 'no')
        """)
    let texts = try store.refused(of: "amina", bytes: 8 << 20).map(\.text)
    #expect(texts.count == 3 && texts.first == "first" && texts.last == "last")
    #expect(texts[1].hasSuffix("x…") && texts[1].utf8.count <= Submission.textMax)
  }

  @Test func `H6: a store of an older version gets this version's chimed.submit`() throws {
    let other = try TemporaryPostgresDatabase()
    try PostgresDatabase(other.location).create(shards: 8, partitions: 2)
    let app = try PostgresConnection(other.location)
    try app.run(
      script: """
        CREATE OR REPLACE FUNCTION chimed.submit(event text) RETURNS bigint LANGUAGE sql AS
          'INSERT INTO chimed.submission (shard, event) VALUES (0, event) RETURNING id';
        DELETE FROM chimed.meta WHERE key = 'functions'
        """)
    func submit() throws {
      try app.query("SELECT chimed.submit($1)", [.text(event("1", bytes: 2 << 20))]) { _ in }
    }
    try submit()
    let store = try PostgresStore.opening(other)
    #expect(throws: PostgresError.self) { try submit() }
    #expect(try store.commit { try $0.note("functions") } == "2")
  }

  @Test func `a role that may submit can read nothing`() throws {
    let role = "app_\(UInt32.random(in: 0 ... .max))"
    try app.run(script: "CREATE ROLE \(role); GRANT USAGE ON SCHEMA chimed TO \(role)")
    defer { try? app.run(script: "RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)") }
    try app.run(script: "SET ROLE \(role)")
    try submit(event("1"))
    for statement in [
      "SELECT * FROM chimed.submission", "SELECT * FROM chimed.meta",
      "SELECT chimed.shard_of('amina')", "SELECT chimed.fence(1)",
    ] {
      #expect(throws: PostgresError.self) { try app.run(script: statement) }
    }
    #expect(try waitingSubmissions() == [event("1")])
  }

  @Test(arguments: Seeds.all)
  func `the SQL function computes the same shards as the service`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let alphabet = ["a", "Z", "0", "é", "ш", "語", "🦊", " ", "'", "\\"]
    // The longest names have more than 255 bytes.
    let names =
      (0..<200).map { _ in
        (0..<Int.random(in: 1...128, using: &random)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }.joined()
      } + [String(repeating: "🦊", count: 128)]
    try store.commit { transaction in
      var recipients = Set(names).map { transaction.admit(Recipient(name: $0, now: Fixtures.noon)) }
      recipients.sort { $0.row < $1.row }
      for index in recipients.indices { recipients[index].hasUnsavedFacts = true }
      try transaction.save(recipients, recipients.map { _ in Schedule(due: nil, pending: 0) })
    }
    var (equalCount, different) = (0, [String]())
    try app.query("SELECT shard = chimed.shard_of(name), name FROM chimed.recipient") { row in
      if row.integer(0) != 0 { equalCount += 1 } else { different.append(row.text(1)) }
    }
    #expect(different == [], "seed \(seed)")
    #expect(equalCount == Set(names).count, "seed \(seed)")
  }

  /// Rule F3: a copy can name a recipient other than the original event's. The copy waits until the
  /// owner of the recipient that it names reads it.
  @Test func `a copy for another recipient waits for that recipient's owner`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0], by: "a")
    try stage.acquire([1], by: "b")
    let named = try stage.recipientName(in: 1)
    let copy = Event(
      identifier: "1", source: "booked > carer: shop", type: "booked > carer", recipient: named,
      time: Fixtures.noon + .milliseconds(7), isTimeGiven: false, content: .erasure,
      data: Array(#"{"visit":"x/1"}"#.utf8))
    try stage["a"].commit { try $0.insertCopies([copy, copy]) }
    #expect(try stage["a"].commit { try $0.submissions(limit: 9, bytes: 1 << 20) } == [])
    let found = try stage["b"].commit { try $0.submissions(limit: 9, bytes: 1 << 20) }
    #expect(found.map(\.isCopy) == [true, true])
    #expect(found.map(\.at) == [copy.time, copy.time])
    #expect(
      found.first?.text == """
        {"id":"1","source":"booked > carer: shop","type":"booked > carer",\
        "subject":"\(named)","data":{"visit":"x/1"}}
        """)
    try stage["b"].commit {
      try $0.settle([FinishedSubmission(number: found[0].number, refusal: "why")])
    }
    #expect(
      try stage["a"].refused(of: named).map(\.reason) == ["why"])
  }

  @Test func `H4: a rejected submission is not kept if its recipient was erased after it`() throws {
    try submit(event("0", of: "amina"))
    try submit(event("1", of: "bilal"))
    let found = try store.commit { try $0.submissions(limit: 9, bytes: 1 << 20) }
    try store.commit { transaction in
      var stored = transaction.admit(Recipient(name: "amina", now: Fixtures.noon))
      stored.hasUnsavedFacts = true
      try transaction.save([stored], [Schedule(due: nil, pending: 0)])
      try transaction.erase(stored, at: found[0].at + .milliseconds(1))
    }
    func settle(_ found: [Submission]) throws {
      try store.commit {
        try $0.settle(found.map { FinishedSubmission(number: $0.number, refusal: "why") })
      }
    }
    try settle(found)
    #expect(try waitingSubmissions() == [])
    func refused(of name: String) throws -> Int {
      try store.refused(of: name).count
    }
    #expect(try refused(of: "amina") == 0)
    #expect(try refused(of: "bilal") == 1)
    try app.run(script: "UPDATE chimed.tombstone SET time = time - 60000")
    try submit(event("2", of: "amina"))
    try settle(store.commit { try $0.submissions(limit: 9, bytes: 1 << 20) })
    #expect(try refused(of: "amina") == 1)
  }

  @Test func `a rejected submission is kept until it is old or erased`() throws {
    for (number, name) in ["amina", "amina", "bilal"].enumerated() {
      try submit(event("\(number)", of: name))
    }
    let found = try store.commit { try $0.submissions(limit: 9, bytes: 1 << 20) }
    func settle(_ index: Int, _ refusal: String?) throws {
      try store.commit {
        try $0.settle([FinishedSubmission(number: found[index].number, refusal: refusal)])
      }
    }
    func refused(of name: String) throws -> [String] {
      try store.refused(of: name).map(\.reason)
    }
    try settle(0, nil)
    try settle(1, "type is unknown")
    try settle(2, "data.day is missing")
    #expect(try waitingSubmissions() == [])
    #expect(try refused(of: "amina") == ["type is unknown"])
    #expect(try refused(of: "bilal") == ["data.day is missing"])

    try store.commit { transaction in
      var stored = transaction.admit(Recipient(name: "amina", now: Fixtures.noon))
      stored.hasUnsavedFacts = true
      try transaction.save([stored], [Schedule(due: nil, pending: 0)])
      try transaction.erase(stored, at: Fixtures.noon)
    }
    #expect(try refused(of: "amina") == [])
    let at = found[2].at
    try store.commit { try $0.removeRefusedSubmissions(before: at - .seconds(1)) }
    #expect(try refused(of: "bilal") == ["data.day is missing"])
    try store.commit { try $0.removeRefusedSubmissions(before: at + .seconds(1)) }
    #expect(try refused(of: "bilal") == [])
  }

  @Test func `H6: a recipient's refused submissions are found by an index`() throws {
    try app.run(script: "SET enable_seqscan = off; SET enable_bitmapscan = off")
    var plan: [String] = []
    try app.query(
      """
      EXPLAIN SELECT * FROM chimed.refused WHERE recipient = 'amina' AND id > 7 ORDER BY id LIMIT 9
      """, []
    ) { plan.append($0.text(0)) }
    #expect(plan.contains { $0.contains("Index Cond: ((recipient = 'amina'") }, "\(plan)")
  }
}

extension PostgresStore {
  fileprivate func refused(
    of name: String, after number: Int64 = 0, bytes: Int = 1 << 20
  ) throws -> [RefusedSubmission] {
    try readers.read { try $0.refusedSubmissions(of: name, after: number, bytes: bytes) }
  }
}
