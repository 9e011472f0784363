package import Engine
package import Fleet
package import PostgresStore

/// What a node of a fleet runs with.
package struct NodeSetup: Sendable {
  package var database: PostgresDatabase
  /// For people.
  package var name: String
  /// Where other nodes reach it; empty if they do not.
  package var address: String
  package var times: FleetTimes
  /// That of each of its engines; what makes it one of a node is added.
  package var engine: Engine.Configuration
  /// Called each time that PostgreSQL could not be reached, with how often that was so in a row,
  /// and why.
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

/// How a node stands, for those who look at it from other threads.
package struct NodeSnapshot: Sendable {
  /// The number under which it has joined, or is about to.
  package var incarnation: Incarnation?
  /// What it saw last; nil while it is no member.
  package var view: FleetView?
  package var skew = Skew()
  package var isDraining = false
}
