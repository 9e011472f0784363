package import CivilTime
package import Reminders

/// Moves shards between the nodes that work on one store. A store of a single process always owns
/// everything, so that most of these functions do nothing.
package protocol ShardWriter {
  /// Takes over shards that this node has claimed. Shards of another owner, and those taken over
  /// earlier, are skipped.
  ///
  /// Notifications that the last owners recorded and no sink has answered become retries that are
  /// due, under the same numbers. Numbers assigned from now on are higher than all those of these
  /// recipients' notifications.
  ///
  /// - Parameter plan: the fingerprint of this node's catalogs and settings.
  func acquire(_ shards: Set<Int>, plan: String, now: Instant) throws -> Acquisition

  /// The schedules of the recipients of some shards, in the order of rows.
  func forEachSchedule(of shards: Set<Int>, _ body: (UInt32, Schedule) -> Void) throws

  /// Turns queued deliveries of some shards, except those dispatched to their sinks, into retries
  /// that are due now, for the next owner. From now on `dueRetries` and `nextRetries` skip these
  /// shards.
  ///
  /// - Parameter cursors: for each sink, the last notification that was dispatched to it.
  func retire(_ shards: Set<Int>, behind cursors: [String: Int64], now: Instant) throws

  /// Releases shards: this node has no work left in them, and others may own them.
  func release(_ shards: Set<Int>) throws

  /// Saves the fingerprint with which all schedules of this process were planned.
  func save(plan: String) throws

  /// Makes a node drain or stop draining. The node learns of it from the store, and so does a later
  /// process of the same name.
  ///
  /// - Parameter node: its name or its incarnation.
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
  /// Everything: there is no other writer.
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

/// The result of taking over shards.
package struct Acquisition: Hashable, Sendable {
  /// The shards acquired, without those that have another owner.
  package var shards: Set<Int> = []
  /// The acquired shards that were planned with a different fingerprint.
  package var stale: Set<Int> = []
  /// The acquired shards whose last owner's process crashed.
  package var crashed: Set<Int> = []
  /// For each sink, the number of deliveries that the last owners left unanswered or queued. They
  /// are now retries that are due.
  package var orphans: [String: Int] = [:]

  package init() {}
}
