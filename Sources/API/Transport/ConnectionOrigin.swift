import Access
import NIOCore

/// Where a connection comes from.
enum ConnectionOrigin: Sendable {
  /// A process on this machine, through a Unix socket; nil if the system does not say which.
  case local(PeerCredentials?)
  /// TCP. Through the loopback comes whatever runs on this machine, also a browser that shows a
  /// stranger's page.
  case network(isLoopback: Bool)

  /// For the event loop of the connection.
  init(_ channel: any Channel, isLocal: Bool) throws {
    guard isLocal else {
      let address = channel.localAddress?.ipAddress ?? ""
      let isLoopback =
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
      self = .network(isLoopback: isLoopback)
      return
    }
    let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self, PeerCredentials.init(ofSocket:))
    self = .local(peer ?? nil)
  }
}
