import API
import Fleet
import Synchronization

/// The fleet as this node has seen it last, for those who look for the node of a recipient.
final class SeenFleet: FleetDirectory {
  private struct State {
    /// By shard; nil for what is this node's, or nobody's, or of a node that is not reached.
    var peers: [FleetPeer?] = []
  }

  private let state = Mutex(State())
  private let shard: @Sendable (String) -> Int

  /// - Parameter shard: the shard of a recipient.
  init(shard: @escaping @Sendable (String) -> Int) {
    self.shard = shard
  }

  /// - Parameter node: this one; nil where it is none at the moment.
  func see(_ view: FleetView, as node: Incarnation?) {
    let nodes = view.nodes.map { ($0.incarnation, $0) }
    let known = Dictionary(nodes, uniquingKeysWith: { first, _ in first })
    var peers: [FleetPeer?] = Array(repeating: nil, count: view.shards.count)
    for shard in view.shards where peers.indices.contains(shard.tenure.shard) {
      guard let owner = shard.owner, owner != node, let peer = known[owner], !peer.address.isEmpty
      else { continue }
      peers[shard.tenure.shard] = FleetPeer(name: peer.name, address: peer.address)
    }
    state.withLock { $0.peers = peers }
  }

  func peer(having recipient: String) -> FleetPeer? {
    let shard = shard(recipient)
    return state.withLock { $0.peers.indices.contains(shard) ? $0.peers[shard] : nil }
  }
}
