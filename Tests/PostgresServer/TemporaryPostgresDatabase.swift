import Foundation
import Postgres

/// An empty database that lasts as long as the value.
package final class TemporaryPostgresDatabase: Sendable {
  package let location: String
  private let server: PostgresServer
  private let name: String

  package init() throws {
    server = try PostgresServer.shared.get()
    name = "test_\(UUID().uuidString.prefix(13).replacing("-", with: "_").lowercased())"
    location = server.location(of: name)
    try Self.run("CREATE DATABASE \(name)", on: server)
  }

  deinit {
    try? Self.run("DROP DATABASE \(name) WITH (FORCE)", on: server)
  }

  private static func run(_ statement: String, on server: PostgresServer) throws {
    try PostgresConnection(server.location(of: "postgres")).run(script: statement)
  }
}
