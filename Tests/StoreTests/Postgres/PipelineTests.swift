import Postgres
import PostgresServer
import Testing

/// Queries whose results are read after further statements were sent.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct PipelineTests {
  private let database: TemporaryPostgresDatabase
  private let connection: PostgresConnection

  init() throws {
    database = try TemporaryPostgresDatabase()
    connection = try PostgresConnection(database.location)
    try connection.run(script: "CREATE TABLE pair (key bigint PRIMARY KEY, value bigint)")
  }

  private func insert(_ key: Int64, _ value: Int64) throws {
    try connection.send("INSERT INTO pair VALUES ($1, $2)", [.integer(key), .integer(value)])
  }

  private func ask(_ limit: Int64) throws -> PostgresConnection.Question {
    try connection.ask("SELECT value FROM pair WHERE key < $1 ORDER BY key", [.integer(limit)])
  }

  private func answer(to question: PostgresConnection.Question) throws -> [Int64] {
    var values: [Int64] = []
    try connection.readAnswer(to: question) { values.append($0.integer(0)) }
    return values
  }

  @Test func `a query sees the statements that were sent before it`() throws {
    try connection.send("BEGIN")
    try insert(1, 10)
    let (first, none) = (try ask(9), try ask(0))
    try insert(2, 20)
    let second = try ask(9)
    try insert(3, 30)
    #expect(try answer(to: second) == [10, 20])
    #expect(try answer(to: first) == [10])
    var count: Int64 = 0
    try connection.query("SELECT count(*) FROM pair") { count = $0.integer(0) }
    #expect(count == 3)
    #expect(try answer(to: none) == [])
    try connection.commit()
    let third = try ask(9)
    #expect(try answer(to: third) == [10, 20, 30])
    // Statements outside of the pipeline can follow.
    var copied = PostgresRows(.int8, .int8)
    copied.add(4 as Int64?)
    copied.add(40 as Int64?)
    try connection.copy(copied, to: "pair (key, value)")
    #expect(try answer(to: try ask(9)) == [10, 20, 30, 40])
  }

  @Test(arguments: [false, true])
  func `a refused statement fails the queries that follow it`(readsEarlierAnswer: Bool) throws {
    try insert(1, 10)
    try connection.wait()
    try connection.send("BEGIN")
    let earlierQuery = try ask(9)
    try insert(1, 11)
    let laterQuery = try ask(9)
    if readsEarlierAnswer { #expect(try answer(to: earlierQuery) == [10]) }
    let error = #expect(throws: PostgresError.self) { try answer(to: laterQuery) }
    guard case .refused(.uniqueViolation, _) = error else {
      return #expect(error == nil, "an unexpected error")
    }
    try connection.rollBack()
    #expect(try answer(to: try ask(9)) == [10])
  }

  @Test func `an answer is lost when its transaction ends`() throws {
    try connection.send("BEGIN")
    let question = try ask(9)
    try connection.rollBack()
    #expect(throws: PostgresError.self) { try answer(to: question) }
    #expect(try answer(to: try ask(9)) == [])
  }

  @Test func `a lost connection fails all answers`() throws {
    try connection.send("BEGIN")
    let question = try ask(9)
    let otherConnection = try PostgresConnection(database.location)
    try otherConnection.query(
      "SELECT pg_terminate_backend($1::int)", [.integer(Int64(connection.serverProcessID))]
    ) { _ in }
    let laterQuery = try? ask(9)
    #expect(throws: PostgresError.self) {
      _ = try answer(to: question)
      _ = try answer(to: try #require(laterQuery))
      try connection.commit()
    }
    #expect(!connection.isUsable)
  }
}
