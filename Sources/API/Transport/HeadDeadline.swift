import NIOCore
import NIOHTTPTypes

/// Ends connections whose client does not complete the head of a request in time. A client that
/// sends a byte now and then would never exceed the limit on silence.
///
/// The handler is before the decoder. `RequestGuard`, behind the decoder, reports complete heads.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  /// Sent to later handlers when the deadline has passed.
  struct ExceededError: Error {
    let limit: Duration
  }

  private let limit: Duration
  private let permit: ConnectionPermit
  private var expiry: Scheduled<Void>?
  private var isInsideRequest = false
  private var headCount = 0

  init(after limit: Duration, of permit: ConnectionPermit) {
    self.limit = limit
    self.permit = permit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let mayBeginRequest = !isInsideRequest && expiry == nil
    let heads = headCount
    context.fireChannelRead(data)
    // Nearly every head arrives complete and needs no deadline.
    if mayBeginRequest && headCount == heads { beginDeadline(context) }
  }

  private func beginDeadline(_ context: ChannelHandlerContext) {
    let channel = context.channel
    guard channel.isActive else { return }
    permit.headBegins()
    expiry = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
      self.expiry = nil
      channel.pipeline.fireErrorCaught(ExceededError(limit: self.limit))
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    cancelDeadline()
  }

  func recordHead() {
    isInsideRequest = true
    headCount &+= 1
    cancelDeadline()
  }

  func recordRequestEnd() {
    isInsideRequest = false
  }

  private func cancelDeadline() {
    expiry?.cancel()
    expiry = nil
  }
}
