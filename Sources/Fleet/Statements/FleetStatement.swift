package import CivilTime

/// What a node asks of the database, each in a transaction of its own, on the connection of its
/// membership. One is under way at a time.
package enum FleetStatement: Hashable, Sendable {
  /// Adds the node and its heartbeat. The session has the incarnation's lock before.
  case join(Incarnation, name: String, address: String)
  /// Writes the server's time as the node's heartbeat, unless it is fenced. It takes no lock on the
  /// node's own row, on which the node's turns hold, and waits for none. Who takes no more, be it
  /// for its clock, says that it drains.
  case heartbeat(Incarnation, isDraining: Bool)
  /// Reads the nodes and the shards.
  case look
  /// Ends another's life, if the reason still holds within the transaction: terminates its
  /// sessions, fences it, and frees its shards with the next epoch.
  case depose(Incarnation, DeposingReason, lease: TimeSpan)
  /// Takes shards that nobody has, skipping what another takes at the moment, up to a limit and in
  /// this order; only while the node is not fenced, by holding on to its row.
  case claim(Incarnation, [Int], limit: Int)
  /// Frees a shard of the node's own with the next epoch. It waits for the turns under way, by the
  /// whole lock on the node's row: what comes after them finds in its own transaction that the
  /// shard is another's.
  case release(Incarnation, Tenure)
  /// Fences the node itself and frees all that it has.
  case resign(Incarnation)
}

/// What the database has answered.
package enum FleetAnswer: Hashable, Sendable {
  case joined(database: Instant)
  /// - Parameter isMember: false if the node is fenced.
  case heartbeat(isMember: Bool, database: Instant)
  case view(FleetView)
  /// Whether the node is fenced and its shards are free; false where the reason holds no more.
  case deposed(Bool)
  case claimed([Tenure])
  /// Whether it was the node's.
  case released(Bool)
  case resigned
}
