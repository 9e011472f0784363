import Access
import Glibc
import NIOCore

/// Registers a new connection, and closes it if its peer does not read. A response to such a peer
/// would never end, and would delay the shutdown forever.
///
/// At a shutdown, a connection without a request so far is closed after a short delay. A request
/// may be on its way. After an immediate end, its sender could not know whether the service has
/// processed the request.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = NIOAny

  private let channels: OpenChannels
  private let permit: ConnectionPermit
  private let requestGuard: RequestGuard
  /// The time for which the peer may leave answers unread.
  private let timeout: TimeAmount
  /// The end of a connection whose peer does not read; nil while the peer reads.
  private var scheduledClose: Scheduled<Void>?
  /// The delayed end of a connection that has sent no request when a shutdown begins.
  private var scheduledQuiesce: Scheduled<Void>?

  private static let quiesceDelay = TimeAmount.milliseconds(100)

  init(
    channels: OpenChannels, permit: ConnectionPermit, requestGuard: RequestGuard,
    timeout: TimeAmount
  ) {
    self.channels = channels
    self.permit = permit
    self.requestGuard = requestGuard
    self.timeout = timeout
  }

  func handlerAdded(context: ChannelHandlerContext) {
    channels.add(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    guard let scheduledQuiesce else { return }
    scheduledQuiesce.cancel()
    quiesce(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, !requestGuard.hasBegun, scheduledQuiesce == nil else {
      return context.fireUserInboundEventTriggered(event)
    }
    scheduledQuiesce = context.eventLoop.assumeIsolated().scheduleTask(in: Self.quiesceDelay) {
      self.quiesce(context)
    }
  }

  private func quiesce(_ context: ChannelHandlerContext) {
    scheduledQuiesce = nil
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    scheduledClose?.cancel()
    scheduledClose = nil
    if !context.channel.isWritable {
      let channel = context.channel
      scheduledClose = context.eventLoop.scheduleTask(in: timeout) { [permit] in
        permit.count(.stalled)
        channel.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    scheduledClose?.cancel()
    scheduledQuiesce?.cancel()
  }
}

/// The kind of clients that a listener serves.
enum ListenerKind: Sendable {
  /// Processes of this machine, through a Unix socket.
  case local
  case network
  /// The other nodes of the fleet, and no other clients.
  case nodes
}

enum ConnectionOrigin: Sendable {
  /// A process on this machine, through a Unix socket; nil if the kernel does not identify it.
  case local(PeerCredentials?)
  /// A TCP client. A loopback connection may come from any program of this machine, even from a
  /// browser with a page of another site. Peers are distinguished by address.
  case network(isLoopback: Bool, peer: String)
  /// Another node of the fleet, authenticated by its certificate, with its address.
  case node(String)

  var isLocal: Bool {
    if case .local = self { true } else { false }
  }

  var isNode: Bool {
    if case .node = self { true } else { false }
  }

  /// Finds the origin of a connection; call this on the connection's event loop.
  init(_ channel: any Channel, at listener: ListenerKind) throws {
    switch listener {
    case .nodes: self = .node(Self.peerName(channel.remoteAddress))
    case .network:
      let address = channel.localAddress?.ipAddress ?? ""
      let isLoopback =
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
      self = .network(isLoopback: isLoopback, peer: Self.peerName(channel.remoteAddress))
    case .local:
      let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
        of: NIOBSDSocket.Handle.self, PeerCredentials.init(ofSocket:))
      self = .local(peer ?? nil)
    }
  }

  /// Returns the address; for IPv6 only its network half, because a peer can choose the other half.
  private static func peerName(_ address: SocketAddress?) -> String {
    guard let address, case .v6 = address else { return address?.ipAddress ?? "" }
    let bytes = address.withSockAddr { pointer, length in
      // Skip the family, the port and the flow.
      Array(UnsafeRawBufferPointer(start: pointer, count: length).dropFirst(8).prefix(16))
    }
    let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
    return bytes.prefix(isMapped ? 16 : 8).map { String($0, radix: 16) }.joined(separator: ":")
  }
}

extension PeerCredentials {
  /// Reads the credentials from the kernel; nil if the kernel does not know them.
  init?(ofSocket socket: CInt) {
    // A ucred: process, user, group.
    var credentials = [UInt32](repeating: 0, count: 3)
    var length = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      return nil
    }
    self.init(
      user: credentials[1], group: credentials[2], groups: Self.groups(ofSocket: socket))
  }

  /// Returns the peer's supplementary groups. The service's group is usually one of these, not the
  /// peer's primary group.
  private static func groups(ofSocket socket: CInt) -> [UInt32] {
    var length: socklen_t = 0
    // Without a buffer, the kernel returns the needed size.
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length) != 0, errno == ERANGE else {
      return []
    }
    let size = socklen_t(MemoryLayout<gid_t>.size)
    var groups = [gid_t](repeating: 0, count: Int(length / size))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 else { return [] }
    return Array(groups.prefix(Int(length / size)))
  }
}
