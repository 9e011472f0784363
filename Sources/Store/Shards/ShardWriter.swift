package import CivilTime
package import Reminders

/// Moves shards between the nodes that work on one store. If only one process works on a store, it
/// owns all shards, and most of these functions do nothing.
package protocol ShardWriter {
  /// Acquires shards that this node has claimed. Shards of another owner, and those acquired
  /// earlier, are skipped.
  ///
  /// Deliveries that the last owners recorded and no sink has answered become retries that are due,
  /// under the same numbers. Numbers that are assigned later are higher than the numbers of all
  /// notifications of these recipients.
  ///
  /// - Parameter plan: the fingerprint of this node's catalogs and settings.
  func acquire(_ shards: Set<Int>, plan: String, now: Instant) throws -> Acquisition

  /// Calls `body` with the row and the schedule of each recipient of some shards, in the order of
  /// rows.
  func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) throws

  /// Turns queued deliveries of some shards, except those dispatched to their sinks, into retries
  /// that are due now, for the next owner. After this call, `dueRetries` and `nextRetries` skip
  /// these shards.
  ///
  /// - Parameter cursors: for each sink, the last notification that was dispatched to it.
  func retire(_ shards: Set<Int>, behind cursors: [String: Int64], now: Instant) throws

  /// Releases shards in which this node has no work left, so that other nodes may own them.
  func release(_ shards: Set<Int>) throws

  /// Saves the fingerprint with which all schedules of this process were planned.
  func save(plan: String) throws

  /// Makes a node drain or stop draining. The node, and any later process with its name, reads this
  /// from the store.
  ///
  /// - Parameters:
  ///   - node: the name or the incarnation of the node.
  ///   - isDraining: false to stop draining it.
  /// - Returns: the result; nil in a store of a single process.
  func drain(_ node: String, _ isDraining: Bool) throws -> DrainDecision?
}

extension ShardWriter {
  package func acquire(_ shards: Set<Int>, plan: String, now: Instant) -> Acquisition {
    Acquisition()
  }

  package func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) {}

  package func retire(_ shards: Set<Int>, behind cursors: [String: Int64], now: Instant) {}

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

/// The part of a store that this process may write. A recipient always belongs to the same shard,
/// and no shard has two owners.
package enum Ownership: Hashable, Sendable {
  /// The whole store, which has no other writer.
  case all
  /// Some shards of a store that several nodes share.
  case shards(Set<Int>)

  package func contains(_ shard: Int) -> Bool {
    switch self {
    case .all: true
    case .shards(let shards): shards.contains(shard)
    }
  }
}

/// The result of acquiring shards.
package struct Acquisition: Hashable, Sendable {
  /// The acquired shards, without the shards that have another owner.
  package var shards: Set<Int> = []
  /// The acquired shards that were planned with a different fingerprint.
  package var stale: Set<Int> = []
  /// The acquired shards whose last owner's process crashed.
  package var crashed: Set<Int> = []
  /// The number of each sink's deliveries that the last owners left unanswered or queued. These
  /// deliveries are now retries that are due.
  package var orphans: [String: Int] = [:]

  package init() {}
}
