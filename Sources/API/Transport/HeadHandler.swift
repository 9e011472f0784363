import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Lets sound heads pass, each with the answer that its version of HTTP can read; nothing of a
/// connection is read on whose request was not sound.
final class HeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct Expected {
    let version: HTTPVersion
    let isLast: Bool
  }

  private let needsHost: Bool
  private var isRefusing = false
  /// The answers still to be completed, in order.
  private var expected: [Expected] = []

  init(needsHost: Bool) {
    self.needsHost = needsHost
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefusing else { return }
    guard case .head(let head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    do throws(HeadFault) {
      let head = try RequestHeadValidator.settled(head, needsHost: needsHost)
      let isLast = head.headers.first(name: "Connection") == "close"
      expected.append(Expected(version: head.version, isLast: isLast))
      context.fireChannelRead(wrapInboundOut(.head(head)))
    } catch {
      isRefusing = true
      context.fireErrorCaught(error)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where expected.first?.isLast == true && head.status.code >= 200:
      // Without a length, the end of the connection is the end of such a body.
      if let version = expected.first?.version { head.version = version }
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      if !expected.isEmpty { expected.removeFirst() }
      context.write(data, promise: promise)
    default: context.write(data, promise: promise)
    }
  }
}

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
  private let seat: ConnectionPermit
  private var expiry: Scheduled<Void>?
  private var isInsideRequest = false
  private var headCount = 0

  init(after limit: Duration, of seat: ConnectionPermit) {
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

/// A limit on how long the rest of a request may take to arrive.
///
/// It is a task of the connection's own event loop: a sleeping task of its own for each request
/// would cost more than the request, and stay behind until the limit when it is cancelled.
struct Deadline {
  /// What reading fails with when the limit has passed.
  struct Exceeded: Error {}

  private let expiry: Scheduled<Void>

  /// Begins to count.
  init(after limit: Duration, on channel: any Channel) {
    expiry = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
      channel.pipeline.fireErrorCaught(Exceeded())
    }
  }

  /// Ends the counting: what is awaited has come.
  func lift() {
    expiry.cancel()
  }
}

/// Tells a client that asks before it sends a large body to go ahead (RFC 9110, section 10.1.1);
/// curl would otherwise wait a second. A body that is longer than any that is taken is refused
/// before it is sent.
final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let limits: APILimits

  init(limits: APILimits) {
    self.limits = limits
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data),
      head.headerFields[.expect]?.lowercased() == "100-continue", mayBeTaken(head)
    {
      let answer = HTTPResponse(status: .init(code: 100, reasonPhrase: "Continue"))
      context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
    }
    context.fireChannelRead(data)
  }

  /// Lines of events go on for ever, and batches of them may be longer than other bodies.
  private func mayBeTaken(_ head: HTTPRequest) -> Bool {
    guard let length = head.headerFields[.contentLength].flatMap({ Int($0) }) else { return true }
    guard head.path == EventRoute.path, let format = try? EventFormat(head.headerFields) else {
      return length <= limits.body
    }
    if case .lines = format { return true }
    return length <= (format.mayBeBatch ? limits.batch : limits.body)
  }
}
