import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers requests that came whole, in one go, on the connection's own thread: the task that
/// serves the connection never hears of them. To be woken for the head, the body, the end and the
/// answer of a small request costs it more than all of the rest.
///
/// What is not for this way goes on to that task: requests whose end is still to come, those that
/// nobody here takes, and those behind one that the task has yet to answer.
final class InlineRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Takes a request, with its body, to give the answer later, from any thread.
  ///
  /// - Returns: whether it is taken; nothing has happened if not.
  typealias Responder =
    @Sendable (HTTPRequest, ByteBuffer, ConnectionOrigin, @escaping Answer) -> Bool
  /// Is given what makes the response, which the connection's thread then does.
  typealias Answer = @Sendable (@escaping @Sendable () -> WholeResponse) -> Void

  /// What has come behind a request that is being answered.
  private enum Arrival {
    case part(HTTPRequestPart)
    case end(ChannelEvent)
    case error(any Error)
  }

  private let origin: ConnectionOrigin
  private let respond: Responder
  /// Nil when the connection is gone.
  private var context: ChannelHandlerContext?
  /// The head of a request whose end may come yet in the same go, and what came of its body.
  private var head: HTTPRequest?
  private var body = ByteBuffer()
  private var isAnswering = false
  private var held: [Arrival] = []
  private var isReadHeld = false
  /// How many requests the task has got and not answered.
  private var passedOn = 0

  init(from origin: ConnectionOrigin, respond: @escaping Responder) {
    self.origin = origin
    self.respond = respond
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: - What comes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receive(.part(unwrapInboundIn(data)), context)
  }

  /// Of a request that has not come whole by now, the rest may take long.
  func channelReadComplete(context: ChannelHandlerContext) {
    passOn(context)
    context.fireChannelReadComplete()
  }

  /// Who only ends their own side of the connection still gets the answer.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent { return receive(.end(event), context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    receive(.error(error), context)
  }

  private func receive(_ arrival: Arrival, _ context: ChannelHandlerContext) {
    guard !isAnswering else { return held.append(arrival) }
    switch arrival {
    case .part(let part): receive(part, context)
    case .end(let event):
      passOn(context)
      context.fireUserInboundEventTriggered(event)
    case .error(let error):
      passOn(context)
      context.fireErrorCaught(error)
    }
  }

  private func receive(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    switch (part, head) {
    case (.head(let head), _) where passedOn == 0: self.head = head
    case (.body(let bytes), _?): body.writeImmutableBuffer(bytes)
    case (.end(nil), let head?):
      if !begin(head, context) { passOn(part, context) }
    default: passOn(part, context)
    }
  }

  /// Whether the request is being answered.
  private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    let loop = context.eventLoop
    let this = NIOLoopBound(self, eventLoop: loop)
    isAnswering = respond(head, body, origin) { response in
      loop.execute { this.value.answer(response()) }
    }
    guard isAnswering else { return false }
    self.head = nil
    body = ByteBuffer()
    return true
  }

  // MARK: - What goes on

  /// Passes on what was kept of a request, if there is one.
  private func passOn(_ context: ChannelHandlerContext) {
    guard let head else { return }
    let body = body
    self.head = nil
    self.body = ByteBuffer()
    passedOn += 1
    context.fireChannelRead(wrapInboundOut(.head(head)))
    if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
  }

  private func passOn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
    passOn(context)
    if case .head = part { passedOn += 1 }
    context.fireChannelRead(wrapInboundOut(part))
  }

  /// Nobody is read from whose next request waits already, or who does not read the answers.
  func read(context: ChannelHandlerContext) {
    isReadHeld = !held.isEmpty || !context.channel.isWritable
    if !isReadHeld { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if isReadHeld { read(context: context) }
    context.fireChannelWritabilityChanged()
  }

  // MARK: - Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { passedOn -= 1 }
    context.write(data, promise: promise)
  }

  private func answer(_ response: WholeResponse) {
    guard let context else { return }
    context.write(wrapOutboundOut(.head(response.head)), promise: nil)
    context.write(wrapOutboundOut(.body(response.body)), promise: nil)
    guard !held.isEmpty else {
      isAnswering = false
      return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    // What has come since may end the connection.
    let isSent = context.eventLoop.makePromise(of: Void.self)
    isSent.futureResult.assumeIsolated().whenComplete { _ in self.goOn() }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
  }

  private func goOn() {
    isAnswering = false
    let arrivals = held
    held = []
    for arrival in arrivals {
      guard let context else { return }
      receive(arrival, context)
    }
    guard let context else { return }
    if !isAnswering { passOn(context) }
    context.fireChannelReadComplete()
    if isReadHeld { read(context: context) }
  }
}

extension Channel {
  /// Closes the connection when what was written to it is sent and a while has passed.
  ///
  /// What the client still sends is read and thrown away meanwhile, because a client that finds its
  /// connection closed in the middle may not look for an answer.
  func end(after linger: Duration) {
    // Scheduled from behind the last write: a busy event loop puts what is due before what waits.
    let loop = eventLoop
    loop.execute {
      loop.scheduleTask(in: TimeAmount(linger)) { self.close(promise: nil) }
    }
  }
}

/// What belongs to a request beside the request itself.
struct RequestScope: Sendable {
  let logger: Logger
  let channel: any Channel
  let seat: ConnectionPermit

  var origin: ConnectionOrigin { seat.origin }
}
