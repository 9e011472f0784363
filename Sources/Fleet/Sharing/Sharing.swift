/// What one node is to take and to give, by what it has seen. Nobody is robbed: a shard changes
/// hands when nobody has it.
struct Sharing {
  let view: FleetView
  let node: Incarnation
  /// Whether everything is to go.
  let isDraining: Bool

  /// Shards to claim, those first that prefer this node, and how many at most; nil for none.
  func claim(having count: Int) -> (shards: [Int], limit: Int)? {
    let limit = view.shareMax - count
    let free = view.free
    guard !isDraining, limit > 0, !free.isEmpty else { return nil }
    let others = view.sharers
    let ranked = free.map { shard in
      (Rendezvous.rank(of: node, for: shard, among: others), shard)
    }
    return (ranked.sorted { $0 < $1 }.map(\.1), limit)
  }

  /// The one shard to give away next: that which prefers this node the least. As long as one that
  /// was given away before has no owner, nothing more is.
  func surplus(of held: [Tenure]) -> Tenure? {
    guard isDraining || held.count > view.shareMax, hasTaker, view.free.isEmpty else { return nil }
    return held.min {
      Rendezvous.weight(of: node, for: $0.shard) < Rendezvous.weight(of: node, for: $1.shard)
    }
  }

  /// Whether somebody is there who is to have more.
  var hasTaker: Bool {
    view.nodes.contains { other in
      other.incarnation != node && !other.isFenced && !other.isDraining && other.isConnected
        && view.shards(of: other.incarnation).count < view.shareMax
    }
  }
}
