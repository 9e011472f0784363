internal import NIOCore
internal import NIOHTTP2

/// Notes that something came.
final class HTTP2Listener: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  weak var connection: HTTP2Connection?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection?.heard()
    context.fireChannelRead(data)
  }
}

/// Takes what is for the connection itself.
final class HTTP2RootHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private let connection: HTTP2Connection
  private let ready: EventLoopPromise<HTTP2Connection>

  init(_ connection: HTTP2Connection, ready: EventLoopPromise<HTTP2Connection>) {
    self.connection = connection
    self.ready = ready
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data).payload {
    case .settings(.settings): ready.succeed(connection)
    case .goAway(let last, _, _): connection.goesAway(after: last)
    case .ping(_, ack: true): connection.pingAnswered()
    default: break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.beginClosing()
    ready.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.closed()
    ready.fail(OpeningFlaw("it closed the connection"))
    context.fireChannelInactive()
  }
}
