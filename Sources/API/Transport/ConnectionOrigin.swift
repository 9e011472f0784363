import Access
import NIOCore

/// Where a connection comes from.
enum ConnectionOrigin: Sendable {
  /// A process on this machine, through a Unix socket; nil if the system does not say which.
  case local(PeerCredentials?)
  /// TCP. Through the loopback comes whatever runs on this machine, also a browser that shows a
  /// stranger's page. The peer is told apart from others by its address.
  case network(isLoopback: Bool, peer: String)

  var isLocal: Bool {
    if case .local = self { true } else { false }
  }

  /// For the event loop of the connection.
  init(_ channel: any Channel, isLocal: Bool) throws {
    guard isLocal else {
      let address = channel.localAddress?.ipAddress ?? ""
      let isLoopback =
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
      self = .network(isLoopback: isLoopback, peer: Self.peer(channel.remoteAddress))
      return
    }
    let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self, PeerCredentials.init(ofSocket:))
    self = .local(peer ?? nil)
  }

  /// Of an IPv6 address the half that names a network: anyone has the other half for themselves.
  private static func peer(_ address: SocketAddress?) -> String {
    guard let address, case .v6 = address else { return address?.ipAddress ?? "" }
    let bytes = address.withSockAddr { pointer, length in
      // Behind the family, the port and the flow.
      Array(UnsafeRawBufferPointer(start: pointer, count: length).dropFirst(8).prefix(16))
    }
    let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
    return bytes.prefix(isMapped ? 16 : 8).map { String($0, radix: 16) }.joined(separator: ":")
  }
}
