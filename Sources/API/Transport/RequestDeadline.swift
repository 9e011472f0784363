import NIOCore

/// Ends connections whose client does not complete the head of a request in time, or is silent
/// within a request. A client that sends a byte now and then would never exceed the limit on
/// silence, so the head has a limit of its own.
///
/// The handler is before the decoder. `RequestGuard`, behind the decoder, reports complete heads.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  /// Sent to later handlers when the limit for a head has passed.
  struct ExceededError: Error {
    let limit: Duration
  }

  private let limits: APILimits
  private let permit: ConnectionPermit
  /// The end of the time for an incomplete head; nil if no head is incomplete.
  private var headExpiry: Scheduled<Void>?
  /// Whether a head is complete and the end of its request has not arrived.
  private var isInsideRequest = false
  /// The number of complete heads so far.
  private var headCount = 0
  /// The next check for silence; nil if none is scheduled.
  private var silenceCheck: Scheduled<Void>?
  /// When the last bytes of an incomplete request arrived.
  private var lastArrival = NIODeadline.distantPast

  init(_ limits: APILimits, of permit: ConnectionPermit) {
    self.limits = limits
    self.permit = permit
  }

  /// Whether each request that has begun to arrive is complete.
  var isBetweenRequests: Bool { !isInsideRequest && headExpiry == nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let mayBeginRequest = isBetweenRequests
    let heads = headCount
    context.fireChannelRead(data)
    // Nearly every head arrives complete and needs no deadline.
    if mayBeginRequest && headCount == heads { beginDeadline(context) }
    if !isBetweenRequests { recordArrival(context) }
  }

  // MARK: - Heads

  private func beginDeadline(_ context: ChannelHandlerContext) {
    let channel = context.channel
    guard channel.isActive else { return }
    permit.headBegins()
    let limit = limits.headDeadline
    headExpiry = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
      self.headExpiry = nil
      channel.pipeline.fireErrorCaught(ExceededError(limit: limit))
    }
  }

  /// Records that a whole head has arrived.
  func recordHead() {
    isInsideRequest = true
    headCount &+= 1
    cancelDeadline()
  }

  /// Records that the last bytes of a request have arrived.
  func recordRequestEnd() {
    isInsideRequest = false
  }

  private func cancelDeadline() {
    headExpiry?.cancel()
    headExpiry = nil
  }

  // MARK: - Silence

  private func recordArrival(_ context: ChannelHandlerContext) {
    lastArrival = .now()
    if silenceCheck == nil { scheduleSilenceCheck(context) }
  }

  /// Checks for silence within a request. Between requests, the listener's handler closes silent
  /// connections.
  private func scheduleSilenceCheck(_ context: ChannelHandlerContext) {
    let deadline = lastArrival + TimeAmount(limits.idle)
    silenceCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.silenceCheck = nil
      guard !self.isBetweenRequests else { return }
      if NIODeadline.now() >= self.lastArrival + TimeAmount(self.limits.idle) {
        context.close(promise: nil)
      } else {
        self.scheduleSilenceCheck(context)
      }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    cancelDeadline()
    silenceCheck?.cancel()
  }
}
