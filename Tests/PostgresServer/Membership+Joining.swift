import CivilTime
package import Fleet
package import PostgresStore

/// Steps of a node's membership that a `FleetNode` would otherwise decide.
extension Membership {
  /// Returns the membership of a new node that has joined.
  package static func joining(
    _ database: TemporaryPostgresDatabase, as name: String
  ) throws -> Membership {
    let node = Incarnation(.random(in: 2 ... .max))
    let membership = try Membership(
      PostgresDatabase(database.location), as: node, FleetTimes(lease: .minutes(1)))
    let outcome = membership.carryOut(.join(node, name: name, address: ""))
    guard case .answered(.joined) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
    return membership
  }

  /// Claims those of the given shards that have no owner.
  @discardableResult
  package func claim(_ shards: Set<Int>) throws -> [Tenure] {
    let outcome = carryOut(.claim(incarnation, shards.sorted(), limit: shards.count))
    guard case .answered(.claimed(let tenures)) = outcome else {
      throw UnexpectedOutcome(outcome: outcome)
    }
    return tenures
  }

  /// Frees shards that the store has released.
  package func free(_ shards: Set<Int>) throws {
    let viewOutcome = carryOut(.look)
    guard case .answered(.view(let view)) = viewOutcome else {
      throw UnexpectedOutcome(outcome: viewOutcome)
    }
    for shard in view.shards where shards.contains(shard.tenure.shard) {
      let outcome = carryOut(.release(incarnation, shard.tenure))
      guard case .answered(.released(true)) = outcome else {
        throw UnexpectedOutcome(outcome: outcome)
      }
    }
  }
}

private struct UnexpectedOutcome: Error {
  let outcome: MembershipOutcome
}
