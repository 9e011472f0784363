import CivilTime
import Fleet
import Foundation
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import TestSupport
import Testing

/// The command lines of chimed-fleet(7) for PostgreSQL, unchanged, on a server where `chimed` is a
/// role without special rights.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct PostgresManualTests {
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.unshared()
    // The server's first role is a superuser called chimed, and no role can rename itself.
    try connection(as: "chimed", to: "postgres").run(script: "CREATE ROLE postgres LOGIN SUPERUSER")
    let superuser = try connection(as: "postgres", to: "postgres")
    try superuser.run(script: "ALTER ROLE chimed RENAME TO initial")
    try superuser.run(script: "CREATE ROLE chimed LOGIN CREATEDB; CREATE ROLE app LOGIN")
  }

  private func connection(as role: String, to database: String) throws -> PostgresConnection {
    try connection(as: role, at: server.location(of: database))
  }

  private func connection(as role: String, at location: String) throws -> PostgresConnection {
    try PostgresConnection(PostgresLocation(location).with(["user": role]).text)
  }

  /// Returns the only block of lines in the manual page that contains `word`.
  private func lines(with word: String) throws -> String {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/manual/chimed-fleet.7").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let blocks = text.split(separator: ".Bd -literal -offset 2n\n").dropFirst()
      .map { String($0.split(separator: ".Ed\n")[0]).replacing("\\e\n", with: "\\\n") }
      .filter { $0.contains(word) }
    try #require(blocks.count == 1)
    return blocks[0]
  }

  // MARK: - Locks

  /// Returns the number of functions that take an advisory lock by one number and that the role may
  /// call.
  private func lockFunctionCount(_ role: PostgresConnection) throws -> Int64 {
    var count: Int64 = 0
    try role.query(
      """
      SELECT count(*) FROM pg_proc
      WHERE proname ~ '^pg_(try_)?advisory_(xact_)?lock' AND proargtypes::text = '20'
        AND has_function_privilege(oid, 'EXECUTE')
      """
    ) { count = $0.integer(0) }
    return count
  }

  @Test func `F1: the manual's lines keep other roles from the service's locks`() throws {
    let database = try TemporaryPostgresDatabase(on: server)
    let app = try connection(as: "app", at: database.location)
    #expect(try lockFunctionCount(app) == 8)
    try connection(as: "postgres", at: database.location).run(script: lines(with: "REVOKE"))
    #expect(try lockFunctionCount(app) == 0)
    let error = #expect(throws: PostgresError.self) {
      try app.run(script: "SELECT pg_advisory_lock(\(0x6368_696d))")
    }
    #expect("\(try #require(error))".contains("permission denied"))
    try useLocks(in: database)
    let store = try PostgresStore.opening(database)
    #expect(try store.readers.read { try $0.analytics(of: nil, after: 0, limit: 10) }.count == 1)
  }

  /// Performs each action for which nodes of a fleet take an advisory lock.
  private func useLocks(in database: TemporaryPostgresDatabase) throws {
    let stage = try FleetStage(in: database, ["a", "b"])
    try stage.acquire([0, 1], by: "a")
    let name = try stage.recipientName(in: 0)
    try stage.take("1", of: name, by: "a")
    let decision = try stage["a"].commit { transaction in
      let stored = try #require(try transaction.recipient(named: name))
      let event = AnalyticsEvent(time: Fixtures.noon, name: "dnd_enabled", parameters: [])
      try transaction.append([event], of: stored.row)
      return try transaction.drain("b", true)
    }
    guard case .write("b", _) = decision else {
      Issue.record("\(String(describing: decision))")
      return
    }
    let incarnation = try stage["a"].incarnation
    try stage.drop("a")
    #expect(try stage.evict(incarnation, .gone))
  }

  // MARK: - Backup and restore

  private func createDatabase() throws {
    let superuser = try connection(as: "postgres", to: "postgres")
    try superuser.run(script: "DROP DATABASE IF EXISTS chimed WITH (FORCE)")
    try superuser.run(script: "CREATE DATABASE chimed OWNER chimed")
  }

  private var database: PostgresDatabase { PostgresDatabase(server.location(of: "chimed")) }

  private func open() throws -> PostgresStore {
    try PostgresStore(database, node: "test", at: Fixtures.noon)
  }

  private func identifiers(_ store: PostgresStore) throws -> [String] {
    try store.commit { transaction in
      try transaction.deliveries(after: 0, limit: 100, on: .all).deliveries.map(\.identifier)
    }
  }

  @Test(
    .enabled(
      if: PostgresServer.hasClientPrograms, Comment(rawValue: PostgresServer.clientComment)),
    arguments: [false, true])
  func `D1: the manual's lines dump a store and restore it`(isNewDatabase: Bool) throws {
    let directory = try TemporaryDirectory()
    try createDatabase()
    try database.create(shards: 8, partitions: 2)
    var store: PostgresStore? = try open()
    let events = try #require(try store?.fill(40))
    let dumped = try #require(try store.map(identifiers))
    #expect(dumped.count == 40)
    let dump = try server.run(script: lines(with: "pg_dump"), in: directory.path)
    try #require(dump.status == 0, "\(dump.messages)")
    try store?.commit { try $0.saveNote("word", "later") }
    let last = try #require(store?.lastNotification)
    store = nil

    if isNewDatabase { try createDatabase() }
    let restoration = try server.run(script: lines(with: "pg_restore"), in: directory.path)
    try #require(restoration.status == 0, "\(restoration.messages)")
    #expect(!restoration.messages.contains("ERROR"), "\(restoration.messages)")
    let restored = try open()
    #expect(try identifiers(restored) == dumped)
    try restored.commit { transaction in
      #expect(try transaction.note("word") == nil)
      let lookups = try transaction.lookups(of: [events])
      #expect(try zip(events, lookups).allSatisfy { try transaction.match($0, at: $1).isSame })
    }
    #expect(restored.lastNotification - last > 1_000_000_000)
  }

  @Test(
    .enabled(
      if: PostgresServer.hasClientPrograms, Comment(rawValue: PostgresServer.clientComment)))
  func `D1: restoring a damaged dump changes nothing`() throws {
    let directory = try TemporaryDirectory()
    try createDatabase()
    try database.create(shards: 8, partitions: 2)
    var store: PostgresStore? = try open()
    _ = try store?.fill(40)
    let dump = try server.run(script: lines(with: "pg_dump"), in: directory.path)
    try #require(dump.status == 0, "\(dump.messages)")
    try store?.commit { try $0.saveNote("word", "later") }
    store = nil
    let content = try directory.content(of: "chimed.dump")
    try content.prefix(content.count * 3 / 4)
      .write(to: URL(filePath: directory.path(of: "chimed.dump")))
    let restoration = try server.run(script: lines(with: "pg_restore"), in: directory.path)
    #expect(restoration.status != 0)
    #expect(try open().commit { try $0.note("word") } == "later")
  }

  @Test func `D1: the manual's line for a base backup skips numbers`() throws {
    try createDatabase()
    try database.create(shards: 8, partitions: 2)
    var store: PostgresStore? = try open()
    let last = try #require(store?.lastNotification)
    store = nil
    try connection(as: "chimed", to: "chimed").run(script: lines(with: "DELETE FROM"))
    #expect(try open().lastNotification - last > 1_000_000_000)
  }
}
