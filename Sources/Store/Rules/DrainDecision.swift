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

  private func hasOtherOwner(besides name: String) -> Bool {
    members.contains { $0.name != name && $0.isConnected && !$0.isDraining }
  }
}
