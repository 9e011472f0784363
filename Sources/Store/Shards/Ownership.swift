/// What of a store is this process's to write. A recipient belongs to one shard for good, and no
/// shard has two owners.
package enum Ownership: Hashable, Sendable {
  /// Everything: nobody else writes.
  case all
  /// Some shards of a store that several nodes work on.
  case shards(Set<Int>)

  package func contains(_ shard: Int) -> Bool {
    switch self {
    case .all: true
    case .shards(let shards): shards.contains(shard)
    }
  }
}

/// What a node has got when it took shards over.
package struct Acquisition: Hashable, Sendable {
  /// Those that it works on from now on; one that has another owner is not among them.
  package var shards: Set<Int> = []
  /// Those of them whose schedules were planned with something else.
  package var stale: Set<Int> = []
  /// How many deliveries of each sink the last owners had handed over without an answer, or not
  /// handed over: they are retries that are due.
  package var orphans: [String: Int] = [:]

  package init() {}
}
