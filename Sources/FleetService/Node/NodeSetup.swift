package import Engine
package import Fleet
package import PostgresStore

/// The settings of a node.
package struct NodeSetup: Sendable {
  package var database: PostgresDatabase
  /// The name for operators.
  package var name: String
  /// The address for other nodes; empty if they cannot reach it.
  package var address: String
  package var times: FleetTimes
  /// The configuration of the node's engines, without the node's own settings.
  package var engine: Engine.Configuration
  /// Called after each failed attempt to reach PostgreSQL or to join the fleet, with the number of
  /// consecutive failures and the reason.
  package var whenUnreachable: @Sendable (Int, String) -> Void

  package init(
    _ database: PostgresDatabase, name: String, address: String = "", times: FleetTimes,
    engine: Engine.Configuration,
    whenUnreachable: @escaping @Sendable (Int, String) -> Void = { _, _ in }
  ) {
    (self.database, self.name, self.address) = (database, name, address)
    (self.times, self.engine, self.whenUnreachable) = (times, engine, whenUnreachable)
  }
}

/// The state of a node, for other threads.
package struct NodeSnapshot: Sendable {
  /// The incarnation that has joined or is about to join; nil if there is none.
  package var incarnation: Incarnation?
  /// The last view of the fleet; nil while the node is not a member.
  package var view: FleetView?
  /// The difference between the node's clock and PostgreSQL's.
  package var skew = Skew()
  /// Whether the node gives its shards away, as an operator has requested.
  package var isDraining = false
  /// How many nodes this node has evicted since the start of the process, by reason.
  package var evictions: [EvictionReason: Int] = [:]
}
