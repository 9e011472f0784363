import API
import Fleet
import FleetService
import Synchronization

/// The owner of each recipient, as this node read it at most 0.5 s ago. An outdated owner does no
/// harm: a node that does not own the recipient refuses a forwarded request.
final class NodeDirectory: FleetDirectory {
  private let node = Mutex<NodeShell?>(nil)

  /// Sets the node from which the directory reads. Until then, every owner is unknown.
  func begin(_ node: NodeShell) { self.node.withLock { $0 = node } }

  func peer(having recipient: String) -> FleetPeer? {
    guard let node = node.withLock(\.self), let shard = node.service.shard(of: recipient) else {
      return nil
    }
    let snapshot = node.snapshot
    guard let owner = snapshot.view?.owner(of: shard), owner.incarnation != snapshot.incarnation,
      !owner.address.isEmpty
    else { return nil }
    return FleetPeer(name: owner.name, address: owner.address)
  }

  func isMember(_ peer: FleetPeer) -> Bool {
    guard let view = node.withLock(\.self)?.snapshot.view else { return true }
    return view.nodes.contains {
      !$0.isFenced && $0.name == peer.name && $0.address == peer.address
    }
  }
}
