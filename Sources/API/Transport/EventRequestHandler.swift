import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Answers requests that contain events, if they arrive complete, in one read, and have a plain
/// head. Such requests bypass the general decoder, its handlers and the connection's task. These
/// would cost more than all other work for a small request.
///
/// The handler is the first of a connection, or follows the TLS handler. It passes on all other
/// requests: those for other routes, incomplete ones, and those that the responder declines. It
/// also passes on a request if the task has not answered the previous one yet.
final class EventRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Accepts a request with its body, to answer it later from any thread.
  ///
  /// - Returns: false if the responder declines the request, which then has had no effect.
  typealias Responder =
    @Sendable (PlainRequestHead.EventFields, ByteBuffer, ConnectionOrigin, @escaping Answer) -> Bool
  /// Receives a closure that creates the response and runs on the connection's thread.
  typealias Answer = @Sendable (@escaping @Sendable () -> WholeResponse) -> Void

  /// Input that arrived while this handler was answering a request.
  private enum Arrival {
    case bytes(ByteBuffer)
    case end(ChannelEvent)
    case error(any Error)
  }

  private enum Phase {
    /// No request of this handler is in progress.
    case receiving
    /// The responder has a request and has not answered it yet.
    case answering
    /// The response is written. Input that arrived meanwhile may end the connection, so this input
    /// waits until the response is sent.
    case sending
  }

  private let origin: ConnectionOrigin
  private let requestGuard: RequestGuard
  private let respond: Responder
  /// The context of this handler; nil after the connection is closed.
  private var context: ChannelHandlerContext?
  /// The beginning of a request whose end may come in the same read.
  private var beginning: ByteBuffer?
  private var framing: RequestFraming
  private var phase = Phase.receiving
  /// Whether the connection ends after the requests that have arrived.
  private var isQuiescing = false
  /// The input to receive after the response, in the order of arrival.
  private var waitingArrivals: [Arrival] = []
  /// Whether a read of the connection is delayed.
  private var isReadDelayed = false

  init(
    from origin: ConnectionOrigin, behind requestGuard: RequestGuard, respond: @escaping Responder
  ) {
    self.origin = origin
    self.requestGuard = requestGuard
    self.respond = respond
    framing = RequestFraming(needsHost: !origin.isLocal)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: - Input

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receive(.bytes(unwrapInboundIn(data)), context)
  }

  /// Passes an incomplete request on to the decoder, because its rest may take long to arrive.
  func channelReadComplete(context: ChannelHandlerContext) {
    passOnBeginning(context)
    context.fireChannelReadComplete()
  }

  /// Delays the end of input, so that a client that closes only its sending side gets the response.
  /// Delays the end of the connection until the response is written.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let event as ChannelEvent: receive(.end(event), context)
    case is ChannelShouldQuiesceEvent: quiesce(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    receive(.error(error), context)
  }

  private func receive(_ arrival: Arrival, _ context: ChannelHandlerContext) {
    guard phase == .receiving else { return waitingArrivals.append(arrival) }
    switch arrival {
    case .bytes(let bytes): receive(bytes, context)
    case .end(let event):
      passOnBeginning(context)
      context.fireUserInboundEventTriggered(event)
    case .error(let error):
      passOnBeginning(context)
      context.fireErrorCaught(error)
    }
  }

  /// Ends the connection once the response is written. The end does not wait until the response is
  /// sent, because the peer may not read it.
  private func quiesce(_ context: ChannelHandlerContext) {
    isQuiescing = true
    switch phase {
    case .receiving:
      passOnBeginning(context)
      context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    case .answering: break
    case .sending: receiveWaitingArrivals()
    }
  }

  private func receive(_ arriving: ByteBuffer, _ context: ChannelHandlerContext) {
    var bytes = arriving
    if var beginning {
      self.beginning = nil
      beginning.writeImmutableBuffer(bytes)
      bytes = beginning
    }
    guard framing.isBetweenRequests, requestGuard.isBetweenRequests, !isQuiescing,
      let head = PlainRequestHead(bytes.readableBytesUInt8Span, needsHost: !origin.isLocal),
      let fields = head.events, head.bodyLength > 0
    else { return passOn(bytes, context) }
    guard head.length + head.bodyLength <= bytes.readableBytes else {
      beginning = bytes
      return
    }
    var rest = bytes
    rest.moveReaderIndex(forwardBy: head.length)
    let body = rest.readSlice(length: head.bodyLength) ?? ByteBuffer()
    switch startAnswering(fields, body, context) {
    case .started: if rest.readableBytes > 0 { waitingArrivals.append(.bytes(rest)) }
    case .declined: passOn(bytes, context)
    case .ending: break
    }
  }

  private enum Start {
    case started
    case declined
    /// The connection is about to be closed.
    case ending
  }

  private func startAnswering(
    _ fields: PlainRequestHead.EventFields, _ body: ByteBuffer, _ context: ChannelHandlerContext
  ) -> Start {
    guard requestGuard.beginRequest() else { return .ending }
    let loop = context.eventLoop
    let boundSelf = NIOLoopBound(self, eventLoop: loop)
    let isAccepted = respond(fields, body, origin) { response in
      loop.execute { boundSelf.value.answer(response()) }
    }
    if isAccepted { phase = .answering }
    return isAccepted ? .started : .declined
  }

  // MARK: - Passing on

  private func passOn(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    framing.advance(over: bytes)
    context.fireChannelRead(wrapInboundOut(bytes))
  }

  private func passOnBeginning(_ context: ChannelHandlerContext) {
    guard let beginning else { return }
    self.beginning = nil
    passOn(beginning, context)
  }

  /// Delays a read while a further request waits, or while the client does not read its responses.
  func read(context: ChannelHandlerContext) {
    isReadDelayed = !waitingArrivals.isEmpty || !context.channel.isWritable
    if !isReadDelayed { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if isReadDelayed { read(context: context) }
    context.fireChannelWritabilityChanged()
  }

  // MARK: - Responses

  private func answer(_ response: WholeResponse) {
    guard let context else { return }
    let bytes = wrapOutboundOut(Self.bytes(of: response, context.channel.allocator))
    phase = .sending
    if !hasWaitingBytes { requestGuard.becomesIdle() }
    guard !waitingArrivals.isEmpty, !isQuiescing else {
      context.writeAndFlush(bytes, promise: nil)
      return receiveWaitingArrivals()
    }
    let sendPromise = context.eventLoop.makePromise(of: Void.self)
    sendPromise.futureResult.assumeIsolated().whenComplete { _ in self.receiveWaitingArrivals() }
    context.writeAndFlush(bytes, promise: sendPromise)
  }

  private var hasWaitingBytes: Bool {
    waitingArrivals.contains { if case .bytes = $0 { true } else { false } }
  }

  /// Receives the input that has waited for the response.
  private func receiveWaitingArrivals() {
    guard phase == .sending else { return }
    phase = .receiving
    guard !waitingArrivals.isEmpty || isQuiescing else { return }
    let arrivals = waitingArrivals
    waitingArrivals = []
    for arrival in arrivals {
      guard let context else { return }
      receive(arrival, context)
    }
    guard let context else { return }
    if phase == .receiving { passOnBeginning(context) }
    context.fireChannelReadComplete()
    if isReadDelayed { read(context: context) }
    if isQuiescing { quiesce(context) }
  }

  private static func bytes(
    of response: WholeResponse, _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    let status = HTTPResponseStatus(
      statusCode: response.head.status.code, reasonPhrase: response.head.status.reasonPhrase)
    var bytes = allocator.buffer(capacity: 256 + response.body.readableBytes)
    bytes.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
    for field in response.head.headerFields {
      bytes.writeString(field.name.rawName)
      bytes.writeStaticString(": ")
      bytes.writeString(field.value)
      bytes.writeStaticString("\r\n")
    }
    bytes.writeStaticString("\r\n")
    bytes.writeImmutableBuffer(response.body)
    return bytes
  }
}

extension Channel {
  /// Closes the connection after a delay, once its pending writes are sent.
  ///
  /// Input is read and discarded meanwhile: a client whose connection closes while it sends may not
  /// read the response.
  func end(after linger: Duration) {
    // Schedule behind the last write: a busy event loop runs timers before queued tasks.
    let loop = eventLoop
    loop.execute {
      loop.scheduleTask(in: TimeAmount(linger)) { self.close(promise: nil) }
    }
  }
}

/// The logger, connection and permit of a request.
struct RequestScope: Sendable {
  let logger: Logger
  let channel: any Channel
  /// The admission of the connection, which the limiter counts.
  let permit: ConnectionPermit

  var origin: ConnectionOrigin { permit.origin }
}
