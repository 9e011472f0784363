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
  private let seat: ConnectionSeat
  private var expiry: Scheduled<Void>?
  private var isInsideRequest = false
  private var headCount = 0

  init(after limit: Duration, of seat: ConnectionSeat) {
    self.limit = limit
    self.seat = seat
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let mayBeginRequest = !isInsideRequest && expiry == nil
    let heads = headCount
    context.fireChannelRead(data)
    // Nearly every head comes whole, and needs no deadline.
    if mayBeginRequest && headCount == heads { begin(context) }
  }

  private func begin(_ context: ChannelHandlerContext) {
    let channel = context.channel
    guard channel.isActive else { return }
    seat.headBegins()
    expiry = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
      self.expiry = nil
      channel.pipeline.fireErrorCaught(Exceeded(limit: self.limit))
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    lift()
  }

  func headHasCome() {
    isInsideRequest = true
    headCount &+= 1
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
