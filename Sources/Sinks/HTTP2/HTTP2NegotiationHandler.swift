internal import NIOCore
internal import NIOHTTP2
internal import NIOTLS

/// Waits for TLS and puts HTTP/2 on top of it.
final class HTTP2NegotiationHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let ready: EventLoopPromise<HTTP2Connection>

  init(ready: EventLoopPromise<HTTP2Connection>) {
    self.ready = ready
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
      guard negotiated == HTTP2Connection.protocolName else {
        ready.fail(OpeningFlaw("it does not speak HTTP/2"))
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
    ready.fail(OpeningFlaw("it closed the connection"))
    context.fireChannelInactive()
  }
}
