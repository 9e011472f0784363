/// The result of a request to drain a node or to stop draining it.
package enum DrainDecision: Hashable, Sendable {
  /// Save that the node with this name drains, or no longer drains. The second value is a node with
  /// the name that is not fenced; nil if there is none.
  case write(String, StoredFleet.Node?)
  /// No node has this name.
  case unknown
  /// Several present nodes have the name, so that all of them would drain.
  case ambiguous([StoredFleet.Node])
  /// The node is the last one: no other node could own its shards.
  case last(StoredFleet.Node)
}

extension StoredFleet {
  /// Decides a request to drain a node, or to stop draining it.
  ///
  /// - Parameters:
  ///   - node: the name or the incarnation of the node.
  ///   - isDraining: false to stop draining it.
  package func drain(_ node: String, _ isDraining: Bool) -> DrainDecision {
    let name = members.first { $0.identifier == node }?.name ?? node
    let nodes = members.filter { $0.name == name }
    // A crashed node is listed until it is evicted, and may have restarted under the same name.
    let present = nodes.filter(\.isConnected)
    guard let first = present.first ?? nodes.first else {
      return !isDraining && drained.contains(name) ? .write(name, nil) : .unknown
    }
    guard isDraining else { return .write(name, first) }
    guard present.count < 2 else { return .ambiguous(present) }
    return hasOtherOwner(besides: name) ? .write(name, first) : .last(first)
  }

  /// Returns whether a node with another name claims shards. A node that drains or whose clock is
  /// wrong claims none (rule F6). The flag of the node's heartbeat is not used, because it stays
  /// set for a moment after the end of a drain.
  private func hasOtherOwner(besides name: String) -> Bool {
    members.contains {
      $0.name != name && $0.isConnected && !$0.isDraining && !Self.isSevere($0.skew)
    }
  }
}
