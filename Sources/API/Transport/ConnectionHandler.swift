import Access
import Glibc
import NIOCore

/// Notes a connection when it is set up, and closes it when its peer does not read what it is sent:
/// an answer to such a peer would wait, and hold up the end of the service, for ever.
///
/// When the service ends, a connection that is so new that nothing has been asked on it gets a
/// moment: the request may be on its way, and its sender would not know what became of it.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = NIOAny

  private let channels: OpenChannels
  private let seat: ConnectionPermit
  private let patience: TimeAmount
  private var closing: Scheduled<Void>?
  private var hasAsked = false
  /// The end of a connection on which nothing has been asked.
  private var ending: Scheduled<Void>?

  private static let moment = TimeAmount.milliseconds(100)

  init(channels: OpenChannels, seat: ConnectionPermit, patience: TimeAmount) {
    self.channels = channels
    self.seat = seat
    self.patience = patience
  }

  func handlerAdded(context: ChannelHandlerContext) {
    channels.add(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasAsked = true
    context.fireChannelRead(data)
    guard let ending else { return }
    ending.cancel()
    end(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, !hasAsked, ending == nil else {
      return context.fireUserInboundEventTriggered(event)
    }
    ending = context.eventLoop.assumeIsolated().scheduleTask(in: Self.moment) {
      self.end(context)
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    ending = nil
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    closing?.cancel()
    closing = nil
    if !context.channel.isWritable {
      let channel = context.channel
      closing = context.eventLoop.scheduleTask(in: patience) { [seat] in
        seat.count(.stalled)
        channel.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    closing?.cancel()
    ending?.cancel()
  }
}

/// Whom a listener is for.
enum ListenerKind: Sendable {
  /// Processes of this machine, through a Unix socket.
  case local
  case network
  /// The other nodes of the fleet, and nobody else.
  case nodes
}

/// Where a connection comes from.
enum ConnectionOrigin: Sendable {
  /// A process on this machine, through a Unix socket; nil if the system does not say which.
  case local(PeerCredentials?)
  /// TCP. Through the loopback comes whatever runs on this machine, also a browser that shows a
  /// stranger's page. The peer is told apart from others by its address.
  case network(isLoopback: Bool, peer: String)
  /// Another node of the fleet, which has shown its certificate; where it comes from.
  case node(String)

  var isLocal: Bool {
    if case .local = self { true } else { false }
  }

  var isNode: Bool {
    if case .node = self { true } else { false }
  }

  /// For the event loop of the connection.
  init(_ channel: any Channel, at listener: ListenerKind) throws {
    switch listener {
    case .nodes: self = .node(Self.peer(channel.remoteAddress))
    case .network:
      let address = channel.localAddress?.ipAddress ?? ""
      let isLoopback =
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
      self = .network(isLoopback: isLoopback, peer: Self.peer(channel.remoteAddress))
    case .local:
      let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
        of: NIOBSDSocket.Handle.self, PeerCredentials.init(ofSocket:))
      self = .local(peer ?? nil)
    }
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

extension PeerCredentials {
  /// Nil where the system does not know.
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

  /// A member of the service's group usually has it as one among others.
  private static func groups(ofSocket socket: CInt) -> [UInt32] {
    var length: socklen_t = 0
    // Without room, the system tells how much it takes.
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nil, &length) != 0, errno == ERANGE else {
      return []
    }
    let size = socklen_t(MemoryLayout<gid_t>.size)
    var groups = [gid_t](repeating: 0, count: Int(length / size))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 else { return [] }
    return Array(groups.prefix(Int(length / size)))
  }
}
