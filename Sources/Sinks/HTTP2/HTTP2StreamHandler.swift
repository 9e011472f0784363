internal import HTTPTransfers
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Sends one request on its own stream and collects the answer.
final class HTTP2StreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let request: ExchangeRequest
  private let connection: HTTP2Connection
  private let reply: HTTP2Reply
  private let deadline: NIODeadline
  /// Fails the request at its deadline.
  private var timer: Scheduled<Void>?
  /// Whether the whole request was written. A server does not process an incomplete request.
  private var isSent = false
  /// The status of the answer; nil before its headers.
  private var status: Int?
  private var headers: [(name: String, value: String)] = []
  private var body: [UInt8] = []

  init(
    _ request: ExchangeRequest, on connection: HTTP2Connection, reply: HTTP2Reply,
    deadline: NIODeadline
  ) {
    self.request = request
    self.connection = connection
    self.reply = reply
    self.deadline = deadline
  }

  // MARK: - Sending

  func handlerAdded(context: ChannelHandlerContext) {
    let reply = reply
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(deadline: deadline) {
      reply.fail(.overdue)
      channel.close(promise: nil)
    }
    if context.channel.isActive { write(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    write(context)
    context.fireChannelActive()
  }

  private func write(_ context: ChannelHandlerContext) {
    let headers = HTTP2Frame.FramePayload.headers(.init(headers: head))
    let data = HTTP2Frame.FramePayload.data(
      .init(data: .byteBuffer(ByteBuffer(bytes: request.body)), endStream: true))
    let sentPromise = context.eventLoop.makePromise(of: Void.self)
    sentPromise.futureResult.assumeIsolated().whenSuccess { self.isSent = true }
    context.write(wrapOutboundOut(headers), promise: nil)
    context.writeAndFlush(wrapOutboundOut(data), promise: sentPromise)
  }

  /// The headers of the request.
  private var head: HPACKHeaders {
    var head = HPACKHeaders([
      (":method", "POST"), (":scheme", "https"), (":authority", request.origin.authority),
      (":path", request.path),
    ])
    for (name, value) in request.headers {
      let isSecret = name == "authorization"
      head.add(name: name, value: value, indexing: isSecret ? .neverIndexed : .indexable)
    }
    head.add(name: "content-length", value: "\(request.body.count)")
    return head
  }

  // MARK: - The answer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let frame):
      guard accept(frame.headers) else {
        reply.fail(.lost("it answers with a status that HTTP does not have"))
        return context.close(promise: nil)
      }
      if frame.endStream { finish(context) }
    case .data(let frame):
      if case .byteBuffer(let buffer) = frame.data { body += buffer.readableBytesView }
      if body.count > ExchangeResponse.bodyMax {
        reply.fail(.lost("it answers with more than \(ExchangeResponse.bodyMax) bytes"))
        context.close(promise: nil)
      } else if frame.endStream {
        finish(context)
      }
    default: break
    }
  }

  /// Reads a block of headers.
  ///
  /// - Returns: false if the status is invalid; true for answers, informational answers and
  ///   trailers.
  private func accept(_ head: HPACKHeaders) -> Bool {
    // Header blocks after the answer are trailers.
    guard status == nil else { return true }
    switch head.first(name: ":status").flatMap({ ReplyStatus(text: $0) }) {
    case .final(let code):
      status = code
      connection.recordAnswer()
      headers = head.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) }
      return true
    case .interim: return true
    case nil: return false
    }
  }

  private func finish(_ context: ChannelHandlerContext) {
    if let status {
      reply.succeed(ExchangeResponse(status: status, headers: headers, body: body))
    } else {
      reply.fail(.lost("it answers without a status"))
    }
    context.close(promise: nil)
  }

  // MARK: - The end

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(context, error as? NIOHTTP2Errors.StreamClosed)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(context, nil)
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    reply.fail(failure(nil))
  }

  /// Fails the request in the next cycle of the event loop, because NIO reports the end of a stream
  /// before the GOAWAY that caused it.
  private func fail(_ context: ChannelHandlerContext, _ closed: NIOHTTP2Errors.StreamClosed?) {
    context.eventLoop.assumeIsolated().execute { self.reply.fail(self.failure(closed)) }
  }

  /// Returns the failure of the request. A stream that was refused, or that a GOAWAY excludes, has
  /// not been processed (RFC 9113, section 8.7).
  private func failure(_ closed: NIOHTTP2Errors.StreamClosed?) -> ExchangeError {
    if let closed {
      if closed.errorCode == .refusedStream { return .unprocessed("it refuses the request") }
      if connection.isUnprocessed(closed.streamID) {
        return .unprocessed("it closes the connection before the request")
      }
    }
    return isSent ? .lost("the connection broke") : .unprocessed("the connection broke")
  }
}
