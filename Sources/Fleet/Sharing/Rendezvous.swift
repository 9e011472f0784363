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
