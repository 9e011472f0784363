import API
import Fleet
import FleetService
import Synchronization

/// Who of the fleet has whom, as this node has seen it last: at most half a second ago, and what is
/// asked of the wrong one is refused there.
final class NodeDirectory: FleetDirectory {
  private let node = Mutex<NodeShell?>(nil)

  func begin(_ node: NodeShell) { self.node.withLock { $0 = node } }

  func peer(having recipient: String) -> FleetPeer? {
    guard let node = node.withLock(\.self), let shard = node.service.shard(of: recipient) else {
      return nil
    }
    let standing = node.standing
    guard let owner = standing.view?.owner(of: shard), owner.incarnation != standing.incarnation,
      !owner.address.isEmpty
    else { return nil }
    return FleetPeer(name: owner.name, address: owner.address)
  }
}
