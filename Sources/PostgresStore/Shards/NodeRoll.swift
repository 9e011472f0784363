package import CivilTime
import Postgres
package import Store

/// Who works on a store, as each node sees the others: its own connection, for no turn of an engine
/// may keep a heartbeat waiting. For one thread.
package final class NodeRoll {
  /// A node that has worked on the store.
  package struct Node: Hashable, Sendable {
    package var incarnation: Int64
    package var name: String
    package var address: String
    /// How long ago its last heartbeat was, by the server's clock.
    package var silence: TimeSpan
    /// Whether its session is there.
    package var isConnected: Bool
    package var isFenced: Bool
  }

  /// A shard as it is in the store.
  package struct Shard: Hashable, Sendable {
    package var shard: Int
    package var owner: Int64?
    package var epoch: Int64
  }

  /// The server's clock, in milliseconds since 1970.
  static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  private let database: PostgresDatabase
  private let connection: PostgresConnection

  package init(_ database: PostgresDatabase) throws(StoreError) {
    self.database = database
    do {
      connection = try database.connect()
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  /// Says that a node is there.
  ///
  /// - Returns: what time it is by the server; nil if the node has been fenced.
  package func beat(_ incarnation: Int64) throws(StoreError) -> Instant? {
    try rows(
      """
      UPDATE heartbeat h SET at = \(Self.now) FROM node n
      WHERE h.incarnation = $1 AND n.incarnation = $1 AND NOT n.fenced RETURNING h.at
      """, [.integer(incarnation)]
    ) { Instant(milliseconds: $0.integer(0)) }.first
  }

  package func nodes() throws(StoreError) -> [Node] {
    try rows(
      """
      SELECT n.incarnation, n.name, n.address, \(Self.now) - coalesce(h.at, 0),
        \(NodeLock.isHeld("n.incarnation")), n.fenced
      FROM node n LEFT JOIN heartbeat h ON h.incarnation = n.incarnation ORDER BY n.incarnation
      """
    ) { row in
      Node(
        incarnation: row.integer(0), name: row.text(1), address: row.text(2),
        silence: .milliseconds(Int(row.integer(3))), isConnected: row.integer(4) != 0,
        isFenced: row.integer(5) != 0)
    }
  }

  package func shards() throws(StoreError) -> [Shard] {
    try rows("SELECT shard, owner, epoch FROM shard ORDER BY shard") { row in
      Shard(
        shard: Int(row.integer(0)), owner: row.optionalInteger(1), epoch: row.integer(2))
    }
  }

  /// Ends a node for good: nothing of it is written any more, and its shards have no owner. Its
  /// sessions are ended first, for one that stands still in the middle of a transaction would hold
  /// its row for as long as it stands.
  ///
  /// - Returns: whether it was not fenced before.
  package func depose(_ incarnation: Int64) throws(StoreError) -> Bool {
    let node = [PostgresParameter.integer(incarnation)]
    _ = try rows(
      """
      SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l WHERE \(NodeLock.isNode("$1"))
      """, node
    ) { _ in }
    do {
      try connection.send("BEGIN")
      var isNew = false
      try connection.query(
        "UPDATE node SET fenced = true WHERE incarnation = $1 AND NOT fenced RETURNING 1", node
      ) { _ in isNew = true }
      try connection.send(
        "UPDATE shard SET owner = NULL, epoch = epoch + 1 WHERE owner = $1", node)
      try connection.commit()
      return isNew
    } catch {
      _ = try? connection.rollBack()
      throw StoreError(error, database: database.name)
    }
  }

  private func rows<Value>(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Value
  ) throws(StoreError) -> [Value] {
    do {
      var values: [Value] = []
      try connection.query(statement, parameters) { values.append(try body($0)) }
      return values
    } catch {
      throw StoreError(error, database: database.name)
    }
  }
}
