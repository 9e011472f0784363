import Foundation
import Postgres

/// An empty database that is removed with this object.
package final class TemporaryPostgresDatabase: Sendable {
  /// The connection string of the database.
  package let location: String
  private let server: PostgresServer
  private let name: String

  package convenience init() throws { try self.init(on: PostgresServer.shared.get()) }

  package init(on server: PostgresServer) throws {
    self.server = server
    name = "test_\(UUID().uuidString.prefix(13).replacing("-", with: "_").lowercased())"
    location = server.location(of: name)
    try Self.run("CREATE DATABASE \(name)", on: server)
  }

  /// Ends all its connections, as if their process died.
  package func disconnectAll() throws {
    try Self.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
      on: server)
  }

  /// Makes the server log the plans of statements on connections that are opened later.
  package func logPlans() throws {
    try Self.run(
      """
      ALTER DATABASE \(name) SET session_preload_libraries = 'auto_explain';
      ALTER DATABASE \(name) SET auto_explain.log_min_duration = 0
      """, on: server)
  }

  /// The logged plans.
  package var plans: [String] {
    get throws {
      let entries = try server.log.split(separator: "\n\(name):")
      // The lines of an entry begin with "L", as in LOG, or with a tab. Entries of other databases
      // may follow, which begin with the names of these databases.
      return entries.map { entry in
        entry.split(separator: "\n").prefix { $0.first == "\t" || $0.first == "L" }
          .joined(separator: "\n")
      }.filter { $0.contains("plan:") }
    }
  }

  deinit {
    try? Self.run("DROP DATABASE \(name) WITH (FORCE)", on: server)
  }

  private static func run(_ statement: String, on server: PostgresServer) throws {
    try PostgresConnection(server.location(of: "postgres")).run(script: statement)
  }
}
