internal import Glibc
internal import HTTPTransfers
internal import Synchronization
package import TLS

/// How a node and the others of its fleet reach each other (rule F9).
package final class FleetLink: Sendable {
  let directory: any FleetDirectory
  let client: PeerClient
  let accepting: TLSContext
  private let socket: Mutex<ListeningSocket?>
  /// Where this node listens for the others: an address and a port.
  package let place: String

  /// Listens from now on; who connects is served when the interface is.
  ///
  /// - Throws: `ListenError` or `TransferFault`.
  package convenience init(
    of membership: TLSMembership, at address: TCPAddress, directory: any FleetDirectory
  ) throws {
    try self.init(of: membership, at: address, directory: directory, patience: PeerClient.patience)
  }

  init(
    of membership: TLSMembership, at address: TCPAddress, directory: any FleetDirectory,
    patience: Duration
  ) throws {
    self.directory = directory
    accepting = membership.accepting
    client = try PeerClient(of: membership, in: directory, patience: patience)
    let socket = try ListeningSocket(at: address, remedy: "choose another for fleet: listen")
    place = socket.place
    self.socket = Mutex(socket)
  }

  deinit {
    if let socket = takeSocket() { close(socket.descriptor) }
  }

  /// Hands over the socket, whose new owner closes it; nil for all but the first who asks.
  func takeSocket() -> ListeningSocket? { socket.withLock { $0.take() } }
}

extension APILimits {
  /// Of what other nodes ask, who keep their own clients to the rest.
  var amongNodes: APILimits {
    var limits = self
    limits.connections = 2_048
    limits.share = limits.connections
    // What is left of a batch may be longer than it was: it is written anew.
    limits.batch *= 4
    limits.streams *= 8
    return limits
  }
}

/// Which node of a fleet has which recipients, as this one has seen it last.
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
