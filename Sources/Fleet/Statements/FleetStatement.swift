package import CivilTime

/// A statement that a node sends to the database over the connection of its membership. Each is a
/// transaction, and only one is in flight at a time. An `Incarnation` is the presence of a node
/// since it last joined; a `Tenure` is its ownership of a shard. The database refuses the
/// transactions of a fenced node.
package enum FleetStatement: Hashable, Sendable {
  /// Adds the node and its heartbeat. The session must already hold the incarnation's lock.
  case join(Incarnation, name: String, address: String)
  /// Writes the server's time as the node's heartbeat, unless the node is fenced. The statement
  /// does not wait for the node's transactions, because it does not lock the node's row. A node
  /// that claims no shards, for example because of its clock, reports that it drains.
  ///
  /// - Parameter skew: how far the node's clock is ahead of the server's; nil if it is unknown.
  case heartbeat(Incarnation, isDraining: Bool, skew: TimeSpan?)
  /// Reads the nodes and the shards.
  case look
  /// Evicts another node if the reason still applies within the transaction. The node's sessions
  /// are terminated, the node is fenced, and its shards are freed with the next epoch.
  case evict(Incarnation, EvictionReason, lease: TimeSpan)
  /// Claims free shards in this order, up to a limit. Shards that another node is claiming are
  /// skipped. The node's row is locked, so that a fenced node claims nothing.
  case claim(Incarnation, [Int], limit: Int)
  /// Frees one of the node's shards with the next epoch. An exclusive lock on the node's row waits
  /// for open transactions. Later transactions of the node find in the table that the shard is no
  /// longer the node's.
  case release(Incarnation, Tenure)
  /// Fences the node itself and frees all its shards.
  case resign(Incarnation)
}

/// The database's answer to a statement.
package enum FleetAnswer: Hashable, Sendable {
  /// - Parameter database: the time by the server's clock.
  case joined(database: Instant)
  /// - Parameters:
  ///   - isMember: false if the node is fenced.
  ///   - database: the time by the server's clock.
  case heartbeat(isMember: Bool, database: Instant)
  case view(FleetView)
  /// Whether the node is fenced and its shards are free; false if the reason no longer applied.
  case evicted(Bool)
  case claimed([Tenure])
  /// Whether the shard was the node's.
  case released(Bool)
  case resigned
}
