import CivilTime
package import Fleet
import Store

/// How a process uses a store.
package enum PostgresMembership: Sendable {
  /// The process owns the whole store, and fences all nodes that used it before: the transactions
  /// of these nodes then fail.
  case alone
  /// The process is a node of a fleet that has joined by its `Membership`. The membership claims
  /// and frees shards; the store acquires and releases the shards that the table assigns to this
  /// node.
  case fleet(Incarnation)

  var isFleet: Bool { if case .fleet = self { true } else { false } }
}

/// The state of one process between units of work.
struct PostgresNode: Sendable {
  /// A number that no other process has. The name is not unique, because another host can have it
  /// later.
  let incarnation: Int64
  /// The node's name, for operators and for notes about its machine.
  let name: String
  /// Whether other nodes use the store too.
  let isFleet: Bool
  /// The store's own name, which makes its delivery ids differ from those of other stores.
  let instance: String
  let hash: KeyedHash
  var shards = OwnShards()
  /// The numbers that this node can assign.
  var numbers = NumberBlocks()
  /// The messages that many recipients get and that are known to be stored.
  var messages = MessageCache()
  /// Whether any recipient was ever erased; if not, no event needs a lookup of erasures.
  var hasTombstones = false
  /// Since when data of an erased recipient may be readable on disk; nil if there is none.
  var erasureOpen: Instant?
  /// The number of erasures since the start.
  var erasures = 0

  /// The number under which this node's lanes, the queues of its sinks, are stored. It is 0 for a
  /// single process, which continues the lanes of the previous one.
  var lanes: Int64 { isFleet ? incarnation : 0 }

  var ownership: Ownership {
    isFleet ? .shards(Set(shards.active.map { Int($0) })) : .all
  }

  /// Adopts the changes of a committed unit of work.
  mutating func adopt(_ work: PostgresWork) {
    (numbers, messages, shards) = (work.numbers, work.messages, work.shards)
    hasTombstones = hasTombstones || work.hasTombstones
    guard let erased = work.uncommittedErasure else { return }
    hasTombstones = true
    erasureOpen = erasureOpen ?? erased
    erasures += work.erasures
  }
}

/// The shards that a node owns, as far as the node knows.
struct OwnShards: Sendable {
  /// The epoch of each owned shard, which grows with each change of owner.
  private(set) var epochs: [Int64: Int64] = [:]
  /// The shards that are about to be released: nothing more is dispatched for them.
  private(set) var retired: Set<Int64> = []

  /// The owned shards that are not about to be released.
  var active: some Collection<Int64> { epochs.keys.lazy.filter { !retired.contains($0) } }

  mutating func add(_ shard: Int64, epoch: Int64) { epochs[shard] = epoch }

  mutating func retire(_ shards: some Sequence<Int64>) { retired.formUnion(shards) }

  mutating func remove(_ shards: some Sequence<Int64>) {
    for shard in shards { epochs[shard] = nil }
    retired.subtract(shards)
  }
}
