import Postgres
import PostgresServer
import PostgresStore
import Store
import Testing

/// Rule E3: a running service checks whether acknowledged events may be missing on a standby.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct StandbyTests {
  @Test func `an asynchronous standby is reported unless local durability is set`() throws {
    let server = try PostgresServer.withStandby()
    let temporary = try TemporaryPostgresDatabase(on: server)
    let database = PostgresDatabase(temporary.location)
    try database.create(shards: 8, partitions: 2, durableLocally: true)
    #expect(try database.replicationFault() == nil)
    let connection = try PostgresConnection(temporary.location)
    try connection.run(script: "DELETE FROM chimed.meta WHERE key = 'durability'")
    let reason = try #require(try database.replicationFault())
    #expect(reason.contains("set synchronous_standby_names"), "\(reason)")
    try server.makeSynchronous()
    #expect(try database.replicationFault() == nil)
  }

  @Test func `D1: a promoted standby reuses no number`() throws {
    let server = try PostgresServer.withStandby()
    let temporary = try TemporaryPostgresDatabase(on: server)
    let database = PostgresDatabase(temporary.location)
    try database.create(shards: 8, partitions: 2, durableLocally: true)
    var store: PostgresStore? = try PostgresStore(database, node: "test", at: Fixtures.noon)
    let last = try #require(store).lastNotification
    // A commit may reach the standby even if the standby does not acknowledge it.
    try server.makeSynchronous()
    try #require(store).commit { try $0.saveNote("word", "before") }
    store = nil
    try server.promote()
    store = try PostgresStore(database, node: "test", at: Fixtures.noon)
    #expect(try #require(store).lastNotification - last > 1_000_000_000)
  }

  @Test func `a server without standbys is not reported`() throws {
    let temporary = try TemporaryPostgresDatabase()
    let database = PostgresDatabase(temporary.location)
    try database.create(shards: 8, partitions: 2)
    #expect(try database.replicationFault() == nil)
  }
}
