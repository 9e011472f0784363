import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Passes valid request heads on. After an invalid head, the rest of the connection is ignored. The
/// last response of a connection has the request's version of HTTP and `Connection: close`.
final class HeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct PendingResponse {
    let version: HTTPVersion
    /// Whether the connection ends after the response.
    let isLast: Bool
  }

  /// Whether an HTTP/1.1 head without the Host header is invalid.
  private let needsHost: Bool
  /// Whether a head was invalid.
  private var isRefusing = false
  /// The responses that are not complete yet, in order.
  private var pendingResponses: [PendingResponse] = []

  init(needsHost: Bool) {
    self.needsHost = needsHost
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefusing else { return }
    guard case .head(let head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    do throws(RequestHeadError) {
      let head = try RequestHeadValidator.normalized(head, needsHost: needsHost)
      let isLast = head.headers.first(name: "Connection") == "close"
      pendingResponses.append(PendingResponse(version: head.version, isLast: isLast))
      context.fireChannelRead(wrapInboundOut(.head(head)))
    } catch {
      isRefusing = true
      context.fireErrorCaught(error)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where pendingResponses.first?.isLast == true && head.status.code >= 200:
      // A body without a length ends with the connection.
      if let version = pendingResponses.first?.version { head.version = version }
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      if !pendingResponses.isEmpty { pendingResponses.removeFirst() }
      context.write(data, promise: promise)
    default: context.write(data, promise: promise)
    }
  }
}

/// The time limit for the arrival of the rest of a request.
///
/// The deadline is scheduled on the connection's event loop. A sleeping task for each request would
/// cost more than the request, and even a cancelled task would stay in memory until the limit.
struct BodyDeadline {
  /// The error that reads throw after the limit.
  struct ExceededError: Error {}

  private let expiry: Scheduled<Void>

  /// Starts the deadline.
  init(after limit: Duration, on channel: any Channel) {
    expiry = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
      channel.pipeline.fireErrorCaught(ExceededError())
    }
  }

  /// Cancels the deadline, after the rest of the request has arrived.
  func cancel() {
    expiry.cancel()
  }
}

/// Answers `Expect: 100-continue` with 100 (RFC 9110, section 10.1.1); curl would otherwise wait a
/// second. A body above the limit is refused before it is sent.
final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let limits: APILimits

  init(limits: APILimits) {
    self.limits = limits
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data),
      head.headerFields[.expect]?.lowercased() == "100-continue", isWithinLimit(head)
    {
      let answer = HTTPResponse(status: .init(code: 100, reasonPhrase: "Continue"))
      context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
    }
    context.fireChannelRead(data)
  }

  /// Whether the body is within its limit: streams of lines have no limit, and batches have a
  /// larger one.
  private func isWithinLimit(_ head: HTTPRequest) -> Bool {
    guard let length = head.headerFields[.contentLength].flatMap({ Int($0) }) else { return true }
    guard head.path == EventRoute.path, let format = try? EventFormat(head.headerFields) else {
      return length <= limits.body
    }
    if case .lines = format { return true }
    return length <= (format.mayBeBatch ? limits.batch : limits.body)
  }
}
