/// What one node is to take and to give, by what it has seen. Nobody is robbed: a shard changes
/// hands when nobody has it.
struct ShardBalancing {
  let view: FleetView
  let node: Incarnation
  /// Whether everything is to go.
  let isDraining: Bool

  /// Shards to claim, those first that prefer this node, and how many at most; nil for none.
  func claim(having count: Int) -> (shards: [Int], limit: Int)? {
    let limit = share(of: node) - count
    let free = view.free
    guard !isDraining, limit > 0, !free.isEmpty else { return nil }
    let others = sharers
    let ranked = free.map { shard in
      (Rendezvous.rank(of: node, for: shard, among: others), shard)
    }
    return (ranked.sorted { $0 < $1 }.map(\.1), limit)
  }

  /// The one shard to give away next: that which prefers this node the least. As long as one that
  /// was given away before has no owner, nothing more is.
  func surplus(of held: [Tenure]) -> Tenure? {
    guard held.count > share(of: node), hasTaker, view.free.isEmpty else { return nil }
    return held.min {
      Rendezvous.weight(of: node, for: $0.shard) < Rendezvous.weight(of: node, for: $1.shard)
    }
  }

  /// Whether somebody is there who is to have more.
  var hasTaker: Bool {
    view.nodes.contains { other in
      other.incarnation != node && !other.isFenced && !other.isDraining && other.isConnected
        && view.shards(of: other.incarnation).count < share(of: other.incarnation)
    }
  }

  /// Those who are to have a share, in the same order for everybody: of this node it is known here
  /// first whether it is.
  private var sharers: [Incarnation] {
    let others = view.sharers.filter { $0 != node }
    return (isDraining ? others : others + [node]).sorted()
  }

  /// How many shards a node is to have: all shares together are all shards, so that what one gives
  /// away is another's to take, and shares differ by one at most.
  private func share(of other: Incarnation) -> Int {
    let sharers = sharers
    guard let place = sharers.firstIndex(of: other) else { return 0 }
    let (size, rest) = view.shards.count.quotientAndRemainder(dividingBy: sharers.count)
    return size + (place < rest ? 1 : 0)
  }
}

/// Which node a shard prefers: everybody comes to the same answer without asking, and when a node
/// comes or goes only its own shards prefer another (Thaler and Ravishankar 1998).
enum Rendezvous {
  /// How many of others come before a node for a shard.
  static func rank(of node: Incarnation, for shard: Int, among nodes: [Incarnation]) -> Int {
    let own = weight(of: node, for: shard)
    return nodes.count { $0 != node && weight(of: $0, for: shard) > own }
  }

  static func weight(of node: Incarnation, for shard: Int) -> UInt64 {
    mixed(UInt64(bitPattern: node.number) &+ mixed(UInt64(bitPattern: Int64(shard))))
  }

  /// Every bit of the outcome depends on every bit of the number (Stafford's thirteenth mixer).
  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// The shards that a node has.
struct Holdings: Hashable, Sendable {
  private enum Stage: Hashable {
    case held
    /// The engine is to let go of it when nothing of it is due or with a sink.
    case leaving
    /// The engine has let go of it.
    case left
  }

  private var stages: [Tenure: Stage] = [:]

  /// All that the store says are this node's.
  var tenures: Set<Tenure> { Set(stages.keys) }

  var count: Int { stages.count }

  /// Those of which none is to go yet.
  var held: [Tenure] { stages.filter { $0.value == .held }.map(\.key) }

  /// Whether one is on its way out; there is never more than one.
  var isGivingAway: Bool { stages.values.contains { $0 != .held } }

  /// What nobody here has in memory any more.
  var left: Tenure? { stages.first { $0.value == .left }?.key }

  mutating func take(_ tenures: [Tenure]) {
    for tenure in tenures { stages[tenure] = .held }
  }

  mutating func beginToLeave(_ tenure: Tenure) { stages[tenure] = .leaving }

  mutating func engineLeft(_ tenure: Tenure) {
    if stages[tenure] == .leaving { stages[tenure] = .left }
  }

  mutating func remove(_ tenure: Tenure) { stages[tenure] = nil }
}
