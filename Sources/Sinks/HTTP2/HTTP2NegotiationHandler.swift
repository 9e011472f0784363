import Glibc
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOTLS
internal import TLS

/// Waits for TLS and adds the HTTP/2 handlers.
final class HTTP2NegotiationHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Gets the connection when it can be used, or the reason why it cannot be opened.
  private let ready: EventLoopPromise<HTTP2Connection>

  init(ready: EventLoopPromise<HTTP2Connection>) {
    self.ready = ready
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
      guard negotiated == HTTP2Connection.protocolName.description else {
        ready.fail(ConnectionOpeningError(ConnectionOpeningError.otherProtocol))
        context.close(promise: nil)
        return
      }
      do {
        try configure(context)
      } catch {
        ready.fail(error)
        context.close(promise: nil)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func configure(_ context: ChannelHandlerContext) throws {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.initialSettings.append(HTTP2Setting(parameter: .enablePush, value: 0))
    let http2 = NIOHTTP2Handler(
      mode: .client, eventLoop: context.eventLoop, connectionConfiguration: configuration
    ) { $0.close() }
    let pipeline = context.pipeline.syncOperations
    let listener = HTTP2Listener()
    try pipeline.addHandlers([listener, http2])
    let connection = HTTP2Connection(
      channel: context.channel, multiplexer: try http2.syncMultiplexer())
    listener.connection = connection
    try pipeline.addHandler(HTTP2RootHandler(connection, ready: ready))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    ready.fail(error)
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    ready.fail(ConnectionOpeningError("it closed the connection"))
    context.fireChannelInactive()
  }
}

/// Reports received data to the connection.
final class HTTP2Listener: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  weak var connection: HTTP2Connection?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection?.recordReceived()
    context.fireChannelRead(data)
  }
}

/// Handles the frames of stream 0, which concern the connection.
final class HTTP2RootHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private let connection: HTTP2Connection
  /// Gets the connection when the server's settings arrive.
  private let ready: EventLoopPromise<HTTP2Connection>

  init(_ connection: HTTP2Connection, ready: EventLoopPromise<HTTP2Connection>) {
    self.connection = connection
    self.ready = ready
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data).payload {
    case .settings(.settings): ready.succeed(connection)
    case .goAway(let last, _, _): connection.recordGoAway(after: last)
    case .ping(_, ack: true): connection.recordPingAnswer()
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.beginClosing()
    ready.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.recordClosed()
    ready.fail(ConnectionOpeningError("it closed the connection"))
    context.fireChannelInactive()
  }
}

/// The reason why a connection could not be opened. The description is a clause in which "it" is
/// the server.
struct ConnectionOpeningError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  init(_ error: any Error) {
    description =
      switch error {
      case let flaw as ConnectionOpeningError: flaw.description
      case let error as NIOConnectionError: Self.description(of: error)
      case let error as IOError: String(cString: strerror(error.errnoCode))
      case let fault as TLSError: Self.description(of: fault)
      case ChannelError.connectTimeout: "it did not answer in time"
      default: "the connection broke (\(type(of: error)))"
      }
  }

  private static func description(of error: NIOConnectionError) -> String {
    if let first = error.connectionErrors.first {
      return ConnectionOpeningError(first.error).description
    }
    return error.dnsAError == nil && error.dnsAAAAError == nil
      ? "it did not answer in time" : "its name is unknown; check the name and DNS"
  }

  static let otherProtocol = "it does not speak HTTP/2"

  private static func description(of fault: TLSError) -> String {
    switch fault.kind {
    case .untrusted:
      "its certificate is not trusted (\(fault.words)); for your own server, set \"trust\" to the "
        + "PEM file of its certificate authority"
    case .outOfDate:
      "its certificate is out of date (\(fault.words)); check its dates and this machine's "
        + "clock"
    case .otherName: "its certificate is for another name"
    case .otherProtocol: otherProtocol
    case .cutOff: "it closed the connection"
    case .broken: "TLS fails (\(fault.words))"
    }
  }
}
