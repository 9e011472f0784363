import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import TLS

/// Answers invalid requests, which never reach a route, with a problem document. Then it ends the
/// connection, because nothing after an invalid request can be parsed.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let deadline: RequestDeadline
  private let permit: ConnectionPermit
  /// The time for which input is read and discarded at the end of the connection.
  private let linger: Duration
  /// The number of requests without a complete response. Nothing may interrupt a response.
  private var unanswered = 0
  /// Whether the connection is about to be closed; then further input is ignored.
  private var isEnding = false
  /// Whether a request or response has declared that it is the last one.
  private var isLast = false
  /// Whether the connection has ever had a request.
  private(set) var hasBegun = false
  /// Whether the response being written belongs to no request.
  private var isDropping = false

  init(deadline: RequestDeadline, permit: ConnectionPermit, linger: Duration) {
    self.deadline = deadline
    self.permit = permit
    self.linger = linger
  }

  /// Whether all requests are answered and a further one may begin.
  var isBetweenRequests: Bool {
    unanswered == 0 && !isLast && !isEnding && !isDropping && deadline.isBetweenRequests
  }

  /// Records the beginning of a request.
  ///
  /// - Returns: false if the connection is about to be closed, so the request must not begin.
  func beginRequest() -> Bool {
    hasBegun = true
    isEnding = isEnding || !permit.requestBegins()
    return !isEnding
  }

  /// Records that all requests are answered, including one that this handler has not seen.
  func becomesIdle() {
    permit.becomesIdle()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isEnding else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard beginRequest() else { return }
      isLast = isLast || head.headerFields[.connection] == "close"
      unanswered += 1
      deadline.recordHead()
    case .body: break
    case .end: deadline.recordRequestEnd()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    if case .head(let head) = part {
      isDropping = isDropping || unanswered == 0
      isLast = isLast || head.headerFields[.connection] == "close"
    }
    guard !isDropping else { return drop(part, in: context, promise) }
    guard case .end = part else { return context.write(data, promise: promise) }
    unanswered -= 1
    context.write(data, promise: promise)
    if unanswered == 0 { permit.becomesIdle() }
  }

  /// Drops a second response to a request. A second response is written if the end of the request
  /// turns out to be invalid after the first response.
  private func drop(
    _ part: HTTPResponsePart, in context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    promise?.succeed(())
    guard case .end = part else { return }
    isDropping = false
    isEnding = true
    context.channel.end(after: linger)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isEnding else { return }
    guard unanswered == 0, let problem = Self.problem(error) else {
      // The input after the error is not a request.
      isLast = true
      // The task of a response in progress ends that response. If a further head is slow, its
      // deadline is checked again when more of the head arrives.
      if error is RequestDeadline.ExceededError { return }
      context.fireErrorCaught(error)
      return
    }
    isEnding = true
    if error is RequestDeadline.ExceededError { permit.count(.slowHead) }
    answer(problem, in: context)
  }

  private func answer(_ problem: Problem, in context: ChannelHandlerContext) {
    let response = WholeResponse(problem)
    var head = response.head
    head.headerFields[.connection] = "close"
    head.headerFields[.server] = "chimed"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(response.body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.channel.end(after: linger)
  }

  /// Returns the problem to send; nil if the error is not a mistake of the client.
  private static func problem(_ error: any Error) -> Problem? {
    switch error {
    case let error as RequestDeadline.ExceededError:
      Problem(
        .slowHead,
        "the head of the request did not arrive within \(error.limit.components.seconds) s; "
          + "send it again")
    case HTTPParserError.headerOverflow:
      Problem(.headTooLarge, "the head of the request is too large; send fewer, shorter headers")
    case HTTPParserError.invalidEOFState:
      Problem(
        .malformedRequest, "the connection ended during a request; send all of it")
    case HTTPParserError.closedConnection, is IOError, is ChannelError, is TLSError:
      nil
    case let error as RequestHeadError:
      Problem(.malformedRequest, error.reason)
    case let error as HTTPParserError:
      Problem(.malformedRequest, "this is not HTTP/1.1: \(error)")
    default:
      // The library's errors for heads that it cannot convert have no public names.
      Problem(.malformedRequest, "this is not an HTTP/1.1 request; check its first lines")
    }
  }
}
