import Engine
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import API

/// A fleet in which a test sets the owner of each recipient. All nodes see the same owners, unless
/// a test sets a mistake.
final class FakeFleet: Sendable {
  private struct State {
    var owners: [String: String] = [:]
    /// The wrong owners that some nodes see, by node and recipient.
    var mistakenOwners: [String: [String: String]] = [:]
    var addresses: [String: String] = [:]
    /// Fenced nodes, whose shards others have taken over.
    var fenced: Set<String> = []
  }

  private let state = Mutex(State())

  /// Makes a node the owner of the recipient.
  func give(_ recipient: String, to node: String) {
    state.withLock { $0.owners[recipient] = node }
  }

  /// Makes a node the owner of the recipient, although the node `mistaken` sees `other` as the
  /// owner.
  func give(_ recipient: String, to node: String, mistaken: String, sees other: String) {
    give(recipient, to: node)
    state.withLock { $0.mistakenOwners[mistaken, default: [:]][recipient] = other }
  }

  /// Fences a node, whose shards the other nodes then take over.
  func fence(_ node: String) { state.withLock { _ = $0.fenced.insert(node) } }

  fileprivate func isMember(_ node: String) -> Bool { state.withLock { !$0.fenced.contains(node) } }

  /// Sets a node's address.
  func setAddress(of node: String, to address: String) {
    state.withLock { $0.addresses[node] = address }
  }

  /// Waits until a node refuses connections of others, because its shutdown is asynchronous.
  func waitUntilClosed(_ node: String) async throws {
    let address = try #require(state.withLock { $0.addresses[node] })
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    while let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() {
      try? await channel.close()
    }
  }

  fileprivate func peer(having recipient: String, besides node: String) -> FleetPeer? {
    state.withLock { state in
      let visibleOwner = state.mistakenOwners[node]?[recipient] ?? state.owners[recipient]
      guard let owner = visibleOwner, owner != node, let address = state.addresses[owner]
      else { return nil }
      return FleetPeer(name: owner, address: address)
    }
  }

  /// The directory of one node.
  struct View: FleetDirectory {
    let fleet: FakeFleet
    let node: String

    func peer(having recipient: String) -> FleetPeer? {
      fleet.peer(having: recipient, besides: node)
    }

    func isMember(_ peer: FleetPeer) -> Bool { fleet.isMember(peer.name) }
  }

  /// Returns the link of a node, whose address the other nodes then see.
  ///
  /// - Parameter certificate: the name of the node's certificate files.
  func link(
    _ node: String, certificate: String = "node", timeout: Duration = .seconds(15)
  ) throws -> FleetLink {
    let certificates = try FleetCertificates.shared.get()
    let host = certificate == "away" ? "10.0.0.9" : "127.0.0.1"
    let link = try FleetLink(
      of: certificates.membership(certificates.files(certificate), at: host),
      at: #require(TCPAddress("127.0.0.1:0")), directory: View(fleet: self, node: node),
      timeout: timeout)
    setAddress(of: node, to: link.listeningAddress)
    return link
  }

  /// Runs a node for each service, named a, b and so on.
  func serving<Value>(
    _ services: [any ReminderService], access: APIAccess = APIAccess(),
    _ body: ([TestServer]) async throws -> Value
  ) async throws -> Value {
    func serve(_ servers: [TestServer]) async throws -> Value {
      guard servers.count < services.count else { return try await body(servers) }
      let name = ["a", "b", "c"][servers.count]
      return try await TestServer.serving(
        services[servers.count], listen: TCPAddress("127.0.0.1:0"), access: access,
        fleet: link(name)
      ) {
        try await serve(servers + [$0])
      }
    }
    return try await serve([])
  }
}
