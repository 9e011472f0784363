import NIOCore

/// Ends connections whose client begins a request and does not come to the end of its head: one
/// that sends a byte now and then would never be silent for long.
///
/// It stands before the decoder, and `RequestGuard` behind it tells when a head has come.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  /// What is told to those behind when the deadline has passed.
  struct Exceeded: Error {
    let limit: Duration
  }

  private let limit: Duration
  private var expiry: Scheduled<Void>?
  private var isInsideRequest = false

  init(after limit: Duration) {
    self.limit = limit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !isInsideRequest && expiry == nil {
      let channel = context.channel
      expiry = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
        self.expiry = nil
        channel.pipeline.fireErrorCaught(Exceeded(limit: self.limit))
      }
    }
    context.fireChannelRead(data)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    lift()
  }

  func headHasCome() {
    isInsideRequest = true
    lift()
  }

  func requestHasEnded() {
    isInsideRequest = false
  }

  private func lift() {
    expiry?.cancel()
    expiry = nil
  }
}
