internal import Glibc
internal import HTTPTransfers
internal import Synchronization
package import TLS

/// The connections between this node and the others of its fleet (rule F9).
package final class FleetLink: Sendable {
  let directory: any FleetDirectory
  /// Sends requests to the other nodes.
  let client: PeerClient
  /// The TLS settings for connections from other nodes.
  let serverContext: TLSContext
  /// The listening socket; nil once it was taken.
  private let socket: Mutex<ListeningSocket?>
  /// The address and port on which this node listens for other nodes.
  package let listeningAddress: String

  /// Listens immediately; connections are served once the API runs.
  ///
  /// - Throws: `ListenError` or `TransferError`.
  package convenience init(
    of membership: TLSMembership, at address: TCPAddress, directory: any FleetDirectory
  ) throws {
    try self.init(
      of: membership, at: address, directory: directory, timeout: PeerClient.defaultTimeout)
  }

  init(
    of membership: TLSMembership, at address: TCPAddress, directory: any FleetDirectory,
    timeout: Duration
  ) throws {
    self.directory = directory
    serverContext = membership.serverContext
    client = try PeerClient(of: membership, in: directory, timeout: timeout)
    let socket = try ListeningSocket(
      at: address, remedy: "choose another address for fleet: listen")
    listeningAddress = socket.address
    self.socket = Mutex(socket)
  }

  deinit {
    if let socket = takeSocket() { close(socket.descriptor) }
  }

  /// Returns the socket to the first caller, which must close it; nil afterwards.
  func takeSocket() -> ListeningSocket? { socket.withLock { $0.take() } }
}

extension APILimits {
  /// The limits for requests that other nodes forward. The forwarding nodes enforce the limits of
  /// clients.
  var amongNodes: APILimits {
    var limits = self
    limits.connections = 2_048
    limits.share = limits.connections
    // Forwarding encodes a batch again, which may make it longer.
    limits.batch *= 4
    limits.streams *= 8
    return limits
  }
}

/// The owners of recipients, as of this node's last view of the fleet.
package protocol FleetDirectory: Sendable {
  /// The other node that owns a recipient; nil if this node owns the recipient, or if the owner is
  /// unknown. If nil, this node's engine decides whether this node may act for the recipient.
  func peer(having recipient: String) -> FleetPeer?

  /// Whether a node is still a member of the fleet; true if unknown. Other nodes take over the
  /// recipients of a former member.
  func isMember(_ peer: FleetPeer) -> Bool
}

/// Another node of the fleet.
package struct FleetPeer: Hashable, Sendable {
  /// The node's name, which together with the address identifies the node in the list of members.
  package let name: String
  /// The host or address, and the port, on which the node listens for other nodes.
  package let address: String

  package init(name: String, address: String) {
    (self.name, self.address) = (name, address)
  }
}
