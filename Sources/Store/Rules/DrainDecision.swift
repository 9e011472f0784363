/// What becomes of the wish that a node give everything away, or keep what it has.
package enum DrainDecision: Hashable, Sendable {
  /// It is to be written that this node is to, or is not to any more.
  case write(StoredFleet.Node)
  /// No node goes by that.
  case unknown
  /// So many go by the name.
  case ambiguous([StoredFleet.Node])
  /// Nobody is there who would take what it has.
  case last(StoredFleet.Node)
}

extension StoredFleet {
  /// - Parameter node: its name, or the number of its start.
  package func drain(_ node: String, _ isDraining: Bool) -> DrainDecision {
    let meant = members.filter { $0.identifier == node }
    let named = meant.isEmpty ? members.filter { $0.name == node } : meant
    guard let first = named.first else { return .unknown }
    guard named.count == 1 else { return .ambiguous(named) }
    return isDraining && !hasTaker(besides: first) ? .last(first) : .write(first)
  }

  private func hasTaker(besides node: Node) -> Bool {
    members.contains {
      $0.incarnation != node.incarnation && $0.isConnected && !$0.isDraining
    }
  }
}
