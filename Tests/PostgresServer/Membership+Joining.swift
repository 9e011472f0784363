import CivilTime
package import Fleet
package import PostgresStore

/// What tests have a node's membership do, which a `FleetNode` would otherwise decide.
extension Membership {
  /// One of a new node, which has joined.
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

  /// Claims those of some shards that are nobody's.
  @discardableResult
  package func claim(_ shards: Set<Int>) throws -> [Tenure] {
    let outcome = carryOut(.claim(incarnation, shards.sorted(), limit: shards.count))
    guard case .answered(.claimed(let tenures)) = outcome else {
      throw UnexpectedOutcome(outcome: outcome)
    }
    return tenures
  }

  /// Frees shards of which the store has let go.
  package func free(_ shards: Set<Int>) throws {
    let looked = carryOut(.look)
    guard case .answered(.view(let view)) = looked else { throw UnexpectedOutcome(outcome: looked) }
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
