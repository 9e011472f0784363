import CivilTime
package import Fleet
import Store

/// How a process works on a store.
package enum PostgresMembership: Sendable {
  /// It owns everything, and takes over from whoever was there before.
  case alone
  /// With others, as a node whose `Membership` has joined. That one owns shards and gives them
  /// back; the store takes over and detaches what of them is this node's by the table.
  case fleet(Incarnation)

  var isFleet: Bool { if case .fleet = self { true } else { false } }
}

/// What one process knows of the store that it works on, and keeps between units of work.
struct PostgresNode: Sendable {
  /// A number of its own: a host's name could be another's tomorrow.
  let incarnation: Int64
  /// For people, and for what is noted of its machine.
  let name: String
  /// Whether others work on the store too.
  let isFleet: Bool
  /// Distinguishes this store's delivery ids from another's.
  let instance: String
  let hash: KeyedHash
  var shards = OwnShards()
  var numbers = NumberBlocks()
  var messages = MessageCache()
  /// Whether anybody was ever erased; while nobody was, no event has to be asked about.
  var hasTombstones = false
  /// When the first was erased since that was last ended, and how many were since the start.
  var erasureOpen: Instant?
  var erasures = 0

  /// Whose lanes its own are: a store of one process goes on with those of the start before.
  var lanes: Int64 { isFleet ? incarnation : 0 }

  var ownership: Ownership {
    isFleet ? .shards(Set(shards.active.map { Int($0) })) : .all
  }

  /// Takes over what a unit of work has come to.
  mutating func adopt(_ work: PostgresWork) {
    (numbers, messages, shards) = (work.numbers, work.messages, work.shards)
    hasTombstones = hasTombstones || work.hasTombstones
    guard let erased = work.erased else { return }
    hasTombstones = true
    erasureOpen = erasureOpen ?? erased
    erasures += work.erasures
  }
}

/// The shards that a node owns, as far as it knows.
struct OwnShards: Sendable {
  /// The epoch of each, which grows whenever it changes hands.
  private(set) var epochs: [Int64: Int64] = [:]
  /// Those that are about to go: nothing of them is handed over any more.
  private(set) var retired: Set<Int64> = []

  var active: some Collection<Int64> { epochs.keys.lazy.filter { !retired.contains($0) } }

  mutating func add(_ shard: Int64, epoch: Int64) { epochs[shard] = epoch }

  mutating func retire(_ shards: some Sequence<Int64>) { retired.formUnion(shards) }

  mutating func remove(_ shards: some Sequence<Int64>) {
    for shard in shards { epochs[shard] = nil }
    retired.subtract(shards)
  }
}
