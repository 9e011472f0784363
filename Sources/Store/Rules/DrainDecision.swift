/// What becomes of the wish that a node give everything away, or keep what it has.
package enum DrainDecision: Hashable, Sendable {
  /// It is to be written that who has this name is to, or is not to any more; with the node, if it
  /// is there.
  case write(String, StoredFleet.Node?)
  /// No node goes by that.
  case unknown
  /// So many go by the name, and all of them would.
  case ambiguous([StoredFleet.Node])
  /// Nobody is there who would take what it has.
  case last(StoredFleet.Node)
}

extension StoredFleet {
  /// - Parameter node: its name, or the number of its start.
  package func drain(_ node: String, _ isDraining: Bool) -> DrainDecision {
    let name = members.first { $0.identifier == node }?.name ?? node
    let named = members.filter { $0.name == name }
    // Who has died is there until it is deposed, and may have begun anew.
    let present = named.filter(\.isConnected)
    guard let first = present.first ?? named.first else {
      return !isDraining && drained.contains(name) ? .write(name, nil) : .unknown
    }
    guard isDraining else { return .write(name, first) }
    guard present.count < 2 else { return .ambiguous(present) }
    return hasTaker(besides: name) ? .write(name, first) : .last(first)
  }

  private func hasTaker(besides name: String) -> Bool {
    members.contains { $0.name != name && $0.isConnected && !$0.isDraining }
  }
}
