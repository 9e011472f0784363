import CivilTime
import PostgresServer
import PostgresStore
import Store

extension PostgresStore {
  /// A new one: of few shards, in more than one partition.
  static func making(in database: TemporaryPostgresDatabase) throws -> PostgresStore {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    return try opening(database)
  }

  /// One of several nodes, which has acquired nothing.
  static func joining(
    _ database: TemporaryPostgresDatabase, as name: String = "test"
  ) throws -> PostgresStore {
    try PostgresStore(
      PostgresDatabase(database.location), node: name, .fleet(address: ""), at: Fixtures.noon)
  }

  /// The first of several nodes on a new store.
  static func joiningAnew(_ database: TemporaryPostgresDatabase) throws -> PostgresStore {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    return try joining(database)
  }

  static func opening(
    _ database: TemporaryPostgresDatabase, patience: TimeSpan = .seconds(30)
  ) throws -> PostgresStore {
    try PostgresStore(
      PostgresDatabase(database.location), node: "test", at: Fixtures.noon, patience: patience)
  }
}
