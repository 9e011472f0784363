import CivilTime
import Engine
import Foundation
import Postgres
import PostgresServer
import PostgresStore
import SQLiteStore
import Store

/// The kind of the measured store: a file, or a separate database on a server.
enum BenchmarkStore: Sendable {
  case file
  case server(PostgresServer)

  /// - Parameter directory: a benchmark's scratch directory; each has its own store.
  func open(in directory: String, at time: Instant) throws(StoreError) -> any Store {
    switch self {
    case .file: return try SQLiteStore(directory: directory + "/state")
    case .server(let server):
      let database = try database(of: directory, on: server)
      return try PostgresStore(database, node: "benchmark", at: time)
    }
  }

  /// Returns a function that opens the store.
  func opening(in directory: String) -> @Sendable () throws(StoreError) -> any Store {
    { () throws(StoreError) in try open(in: directory, at: WallClock.now()) }
  }

  private func database(
    of directory: String, on server: PostgresServer
  ) throws(StoreError) -> PostgresDatabase {
    let name = "b" + directory.suffix(36).lowercased().replacing("-", with: "")
    let database = PostgresDatabase(server.location(of: name))
    do {
      let connection = try PostgresConnection(server.location(of: "postgres"))
      try connection.run(script: "CREATE DATABASE \(name)")
    } catch {
      // The database was created by an earlier opening.
      return database
    }
    try database.create()
    return database
  }
}
