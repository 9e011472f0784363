/// Who of a fleet has whom, as this node has seen it last.
package protocol FleetDirectory: Sendable {
  /// The other node that has a recipient; nil where it is this one, or nobody at the moment: whose
  /// they are is the engine's to say.
  func peer(having recipient: String) -> FleetPeer?

  /// Whether nobody has taken over from another node; true where that is not known.
  func isMember(_ peer: FleetPeer) -> Bool
}

/// Another node of the fleet.
package struct FleetPeer: Hashable, Sendable {
  /// For people.
  package let name: String
  /// Where it listens for the others: a name or an address, and a port.
  package let address: String

  package init(name: String, address: String) {
    (self.name, self.address) = (name, address)
  }
}
