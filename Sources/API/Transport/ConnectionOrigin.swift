import Access
import NIOCore

/// Where a connection comes from.
enum ConnectionOrigin: Sendable {
  /// A process on this machine, through a Unix socket; nil if the system does not say which.
  case local(PeerCredentials?)

  /// For the event loop of the connection.
  init(_ channel: any Channel) throws {
    let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self, PeerCredentials.init(ofSocket:))
    self = .local(peer ?? nil)
  }
}
