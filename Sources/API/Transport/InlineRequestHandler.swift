import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers requests that arrive complete, in one read, on the connection's own thread. The
/// connection's task does not see such requests. Waking the task for the head, body, end and
/// response of a small request would cost more than all other work for the request.
///
/// The handler passes other requests on to that task: incomplete requests, requests that the
/// responder declines, and requests that follow one that the task has not answered yet.
final class InlineRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Accepts a request with its body, to answer it later from any thread.
  ///
  /// - Returns: false if the responder declines the request, which then has had no effect.
  typealias Responder =
    @Sendable (HTTPRequest, ByteBuffer, ConnectionOrigin, @escaping Answer) -> Bool
  /// Receives a closure that creates the response and runs on the connection's thread.
  typealias Answer = @Sendable (@escaping @Sendable () -> WholeResponse) -> Void

  /// Input that arrived while this handler was answering a request.
  private enum Arrival {
    case part(HTTPRequestPart)
    case end(ChannelEvent)
    case error(any Error)
  }

  private let origin: ConnectionOrigin
  private let respond: Responder
  /// The context of this handler; nil after the connection is closed.
  private var context: ChannelHandlerContext?
  /// The head of a request whose end may come in the same read; `body` holds its bytes so far.
  private var head: HTTPRequest?
  private var body = ByteBuffer()
  private var isAnswering = false
  private var heldArrivals: [Arrival] = []
  private var isReadHeld = false
  /// How many requests the task has received and not answered.
  private var passedOnCount = 0

  init(from origin: ConnectionOrigin, respond: @escaping Responder) {
    self.origin = origin
    self.respond = respond
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: - Input

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receive(.part(unwrapInboundIn(data)), context)
  }

  /// Passes an incomplete request on to the task, because its rest may take long to arrive.
  func channelReadComplete(context: ChannelHandlerContext) {
    passOnBuffered(context)
    context.fireChannelReadComplete()
  }

  /// Delays the end of input, so that a client that closes only its sending side gets the response.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent { return receive(.end(event), context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    receive(.error(error), context)
  }

  private func receive(_ arrival: Arrival, _ context: ChannelHandlerContext) {
    guard !isAnswering else { return heldArrivals.append(arrival) }
    switch arrival {
    case .part(let part): receive(part, context)
    case .end(let event):
      passOnBuffered(context)
      context.fireUserInboundEventTriggered(event)
    case .error(let error):
      passOnBuffered(context)
      context.fireErrorCaught(error)
    }
  }

  private func receive(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    switch (part, head) {
    case (.head(let head), _) where passedOnCount == 0: self.head = head
    case (.body(let bytes), _?): body.writeImmutableBuffer(bytes)
    case (.end(nil), let head?):
      if !startAnswering(head, context) { passOn(part, context) }
    default: passOn(part, context)
    }
  }

  /// Starts to answer a complete request; returns whether the responder accepted it.
  private func startAnswering(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    let loop = context.eventLoop
    let boundSelf = NIOLoopBound(self, eventLoop: loop)
    isAnswering = respond(head, body, origin) { response in
      loop.execute { boundSelf.value.answer(response()) }
    }
    guard isAnswering else { return false }
    self.head = nil
    body = ByteBuffer()
    return true
  }

  // MARK: - Passing on

  /// Passes on the buffered parts of a request, if there are any.
  private func passOnBuffered(_ context: ChannelHandlerContext) {
    guard let head else { return }
    let body = body
    self.head = nil
    self.body = ByteBuffer()
    passedOnCount += 1
    context.fireChannelRead(wrapInboundOut(.head(head)))
    if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
  }

  private func passOn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    passOnBuffered(context)
    if case .head = part { passedOnCount += 1 }
    context.fireChannelRead(wrapInboundOut(part))
  }

  /// Delays a read while a further request waits, or while the client does not read its responses.
  func read(context: ChannelHandlerContext) {
    isReadHeld = !heldArrivals.isEmpty || !context.channel.isWritable
    if !isReadHeld { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if isReadHeld { read(context: context) }
    context.fireChannelWritabilityChanged()
  }

  // MARK: - Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { passedOnCount -= 1 }
    context.write(data, promise: promise)
  }

  private func answer(_ response: WholeResponse) {
    guard let context else { return }
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    context.write(wrapOutboundOut(.body(response.body)), promise: nil)
    guard !heldArrivals.isEmpty else {
      isAnswering = false
      return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    // Input that arrived meanwhile may end the connection, so process it after the response is
    // sent.
    let sendPromise = context.eventLoop.makePromise(of: Void.self)
    sendPromise.futureResult.assumeIsolated().whenComplete { _ in self.receiveHeld() }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sendPromise)
  }

  private func receiveHeld() {
    isAnswering = false
    let arrivals = heldArrivals
    heldArrivals = []
    for arrival in arrivals {
      guard let context else { return }
      receive(arrival, context)
    }
    guard let context else { return }
    if !isAnswering { passOnBuffered(context) }
    context.fireChannelReadComplete()
    if isReadHeld { read(context: context) }
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
  let permit: ConnectionPermit

  var origin: ConnectionOrigin { permit.origin }
}
