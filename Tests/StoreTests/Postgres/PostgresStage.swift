import CivilTime
import Fleet
import PostgresServer
import PostgresStore
import Store

extension PostgresStore {
  /// Creates a store with few shards in more than one partition.
  static func making(in database: TemporaryPostgresDatabase) throws -> PostgresStore {
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    return try opening(database)
  }

  /// Opens the store of one of several nodes, which owns no shard yet.
  static func joining(_ membership: Membership, named name: String = "test") throws -> PostgresStore
  {
    try PostgresStore(
      membership.database, node: name, .fleet(membership.incarnation), at: Fixtures.noon)
  }

  /// Opens the store as a single process, which owns all shards.
  static func opening(
    _ database: TemporaryPostgresDatabase, timeout: TimeSpan = .seconds(30)
  ) throws -> PostgresStore {
    try PostgresStore(
      PostgresDatabase(database.location), node: "test", at: Fixtures.noon, timeout: timeout)
  }
}
