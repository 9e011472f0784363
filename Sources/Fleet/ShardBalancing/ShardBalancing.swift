/// Decides which shards a node claims and gives away, from its view of the fleet. Only shards
/// without an owner are claimed.
struct ShardBalancing {
  let view: FleetView
  let node: Incarnation
  /// Whether the node gives all shards away.
  let isDraining: Bool

  /// Returns the shards to claim, and how many of them to claim at most; nil if there is nothing to
  /// claim. The shards that prefer this node most come first.
  ///
  /// - Parameter count: the number of shards that this node owns.
  func claim(having count: Int) -> (shards: [Int], limit: Int)? {
    let limit = share(of: node) - count
    let free = view.free
    guard !isDraining, limit > 0, !free.isEmpty else { return nil }
    let others = sharingNodes
    let ranked = free.map { shard in
      (Rendezvous.rank(of: node, for: shard, among: others), shard)
    }
    return (ranked.sorted { $0 < $1 }.map(\.1), limit)
  }

  /// Returns the shard to give away next: the one that prefers this node least. Returns nil unless
  /// this node has more than its share and another node can claim a shard. Also returns nil while
  /// any shard has no owner.
  func surplus(of held: [Tenure]) -> Tenure? {
    guard held.count > share(of: node), otherHasRoom, view.free.isEmpty else { return nil }
    return held.min {
      Rendezvous.weight(of: node, for: $0.shard) < Rendezvous.weight(of: node, for: $1.shard)
    }
  }

  /// Whether another node has less than its share and can claim shards.
  private var otherHasRoom: Bool {
    view.nodes.contains { other in
      other.incarnation != node && !other.isFenced && !other.isDraining && other.isConnected
        && view.shards(of: other.incarnation).count < share(of: other.incarnation)
    }
  }

  /// The nodes that get a share, in the same order on every node. Whether this node gets a share
  /// depends on its own state, which the view may not contain yet.
  private var sharingNodes: [Incarnation] {
    let others = view.sharingNodes.filter { $0 != node }
    return (isDraining ? others : others + [node]).sorted()
  }

  /// Returns a node's share. The shares differ by one at most, and add up to the number of shards.
  /// So if one node has too many shards, another has too few.
  private func share(of other: Incarnation) -> Int {
    let sharingNodes = sharingNodes
    guard let index = sharingNodes.firstIndex(of: other) else { return 0 }
    let (size, rest) = view.shards.count.quotientAndRemainder(dividingBy: sharingNodes.count)
    return size + (index < rest ? 1 : 0)
  }
}

/// The order in which a shard prefers nodes (Thaler and Ravishankar 1998). Every node computes the
/// same order. When a node joins or leaves, only the shards that prefer that node most change their
/// first preference.
enum Rendezvous {
  /// Returns the number of nodes that the shard prefers to this one.
  static func rank(of node: Incarnation, for shard: Int, among nodes: [Incarnation]) -> Int {
    let own = weight(of: node, for: shard)
    return nodes.count { $0 != node && weight(of: $0, for: shard) > own }
  }

  /// Returns how much the shard prefers this node.
  static func weight(of node: Incarnation, for shard: Int) -> UInt64 {
    mixed(UInt64(bitPattern: node.number) &+ mixed(UInt64(bitPattern: Int64(shard))))
  }

  /// Returns a hash, each bit of which depends on every bit of the number (Stafford's thirteenth
  /// mixer).
  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// The shards that a node owns.
struct Holdings: Hashable, Sendable {
  private enum Stage: Hashable {
    case held
    /// The engine releases the shard as soon as none of the shard's occurrences is due or in
    /// flight.
    case releasing
    /// The engine has released the shard.
    case released
  }

  private var stages: [Tenure: Stage] = [:]

  /// All shards that the store records as this node's.
  var tenures: Set<Tenure> { Set(stages.keys) }

  var count: Int { stages.count }

  /// The shards that are not being given away.
  var held: [Tenure] { stages.filter { $0.value == .held }.map(\.key) }

  /// Whether a shard is being given away; at most one is at a time.
  var isGivingAway: Bool { stages.values.contains { $0 != .held } }

  /// A shard that the engine has released and that can be freed.
  var releasedTenure: Tenure? { stages.first { $0.value == .released }?.key }

  mutating func add(_ tenures: [Tenure]) {
    for tenure in tenures { stages[tenure] = .held }
  }

  mutating func beginRelease(_ tenure: Tenure) { stages[tenure] = .releasing }

  mutating func recordRelease(_ tenure: Tenure) {
    if stages[tenure] == .releasing { stages[tenure] = .released }
  }

  mutating func remove(_ tenure: Tenure) { stages[tenure] = nil }
}
