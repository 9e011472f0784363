import CivilTime
import Fleet
import Foundation
import Postgres
import PostgresServer
import Testing

@testable import PostgresStore

/// A server that keeps a connection open and does not answer, because its process for this
/// connection is stopped.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct SilentServerTests {
  private let database: TemporaryPostgresDatabase

  init() throws {
    database = try TemporaryPostgresDatabase()
  }

  /// - Parameter body: runs while the server does not answer.
  private func whileSilent(
    _ connection: PostgresConnection, _ body: () throws -> Void
  ) throws {
    let backend = connection.serverProcessID
    try #require(kill(backend, SIGSTOP) == 0)
    defer { kill(backend, SIGCONT) }
    try body()
  }

  @Test func `a connection without an answer in time is given up`() throws {
    let connection = try PostgresConnection(database.location, timeout: .milliseconds(20))
    try whileSilent(connection) {
      let error = #expect(throws: PostgresError.self) {
        try connection.query("SELECT 1") { _ in }
      }
      let reason = "the server did not answer in time, but kept the connection open"
      #expect(error == .disconnected(reason: reason))
      #expect(connection.isSilent && !connection.isUsable)
      #expect(throws: PostgresError.self) { try connection.rollBack() }
    }
  }

  @Test func `a commit without an answer in time is unknown`() throws {
    let connection = try PostgresConnection(database.location, timeout: .milliseconds(20))
    try whileSilent(connection) {
      let error = #expect(throws: PostgresError.self) {
        try connection.send("BEGIN")
        try connection.commit()
      }
      guard case .commitUnknown = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `cutting a connection ends a pending wait`() throws {
    let cut = PostgresCut()
    let connection = SendableConnection(try PostgresConnection(database.location, endedBy: cut))
    let unrelated = try PostgresConnection(database.location)
    try whileSilent(connection.value) {
      let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        hasBegun.signal()
        #expect(throws: PostgresError.self) { try connection.value.query("SELECT 1") { _ in } }
        hasEnded.signal()
      }
      hasBegun.wait()
      cut.end()
      hasEnded.wait()
    }
    #expect(!connection.value.isUsable && unrelated.isUsable)
    let newConnection = try PostgresConnection(database.location, endedBy: cut)
    #expect(throws: PostgresError.self) { try newConnection.query("SELECT 1") { _ in } }
  }

  private struct SendableConnection: @unchecked Sendable {
    let value: PostgresConnection

    init(_ value: PostgresConnection) { self.value = value }
  }

  @Test func `a membership reports a silent server`() throws {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    let membership = try Membership(
      PostgresDatabase(database.location), as: Incarnation(7), FleetTimes(lease: .seconds(3)))
    try whileSilent(membership.connection) {
      guard case .silent = membership.carryOut(.look) else {
        Issue.record("the server answered")
        return
      }
      guard case .silent = membership.carryOut(.look) else {
        Issue.record("the second statement was not silent")
        return
      }
    }
  }

  @Test func `a node's connections are cut together and cannot be opened again`() throws {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    let separate = PostgresDatabase(database.location).withSeparateConnections()
    let connection = try separate.connect()
    separate.disconnect()
    #expect(throws: PostgresError.self) { try connection.query("SELECT 1") { _ in } }
    #expect(throws: PostgresError.self) { try separate.connect() }
    #expect(throws: Never.self) { try PostgresDatabase(database.location).connect() }
  }
}
