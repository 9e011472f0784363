package import CivilTime
package import Reminders

/// What changes hands between the nodes that work on one store. A store that is one process's has
/// nothing to give and nothing to get: it owns everything, for as long as it is open.
package protocol ShardWriter {
  /// Takes over shards that this node has claimed; what is another's, or was taken over before, is
  /// passed over.
  ///
  /// What their last owners had recorded, and no sink has answered for, becomes retries that are
  /// due, under the same numbers; what a sink had answered for is not among it. Numbers that are
  /// given out from now on are above all that these recipients have.
  ///
  /// - Parameter plan: what this node plans with.
  func acquire(_ shards: Set<Int>, plan: String, now: Instant) throws -> Acquisition

  /// The schedules of the recipients of some shards, in the order of their rows.
  func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) throws

  /// Makes retries, due now, of what lanes have of some shards and their sinks do not. They wait
  /// for the next owner: `dueRetries` and `nextRetries` leave the shards out from now on.
  ///
  /// - Parameter places: by sink, the notification behind which it has been handed nothing.
  func retire(_ shards: Set<Int>, behind places: [String: Int64], now: Instant) throws

  /// Detaches shards: nothing of them is left to this node to see to, and they may be freed for
  /// others.
  func release(_ shards: Set<Int>) throws

  /// Notes what the schedules of all that this process owns are planned with.
  func save(plan: String) throws

  /// Has a node give everything away, or keep what it has; it learns of that by itself, and whoever
  /// starts under its name does too.
  ///
  /// - Parameter node: its name, or the number of its start.
  /// - Returns: what came of it; nil in a store that is one process's.
  func drain(_ node: String, _ isDraining: Bool) throws -> DrainDecision?
}

extension ShardWriter {
  package func acquire(_ shards: Set<Int>, plan: String, now: Instant) -> Acquisition {
    Acquisition()
  }

  package func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) {}

  package func retire(_ shards: Set<Int>, behind places: [String: Int64], now: Instant) {}

  package func release(_ shards: Set<Int>) {}

  package func drain(_ node: String, _ isDraining: Bool) -> DrainDecision? { nil }
}

extension ShardWriter where Self: StoreWriter {
  package func save(plan: String) throws { try saveNote(planNote, plan) }
}

extension StoreReader {
  package func plan() throws -> String? { try note(planNote) }

  package func fleet() -> StoredFleet? { nil }
}

private let planNote = "plan"

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
