internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
import Synchronization
internal import TLS

final class HTTP2Connection: Sendable {
  /// The protocol's ALPN identifier (RFC 9113, section 3.2).
  static let protocolName: StaticString = "h2"

  /// A connection counts as alive for this long after data was last received.
  private static let silenceMax = TimeAmount.minutes(1)
  /// The timeout of a ping.
  private static let pingMax = TimeAmount.seconds(3)

  private let channel: any Channel
  private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
  private let health = Mutex(Health())

  private struct Health {
    /// Whether new requests are refused.
    var isClosing = false
    /// The last stream that the server may have processed; nil before a GOAWAY.
    var lastProcessed: HTTP2StreamID?
    /// The number of requests without an answer.
    var inFlightCount = 0
    /// When any data was last received.
    var lastReceived = NIODeadline.now()
    /// When a stream was last answered.
    var lastAnswer = NIODeadline.now()
    /// The callers that wait for the answer to a ping.
    var pings: [EventLoopPromise<Bool>] = []
  }

  init(channel: any Channel, multiplexer: NIOHTTP2Handler.StreamMultiplexer) {
    self.channel = channel
    self.multiplexer = multiplexer
  }

  /// Whether the connection accepts new requests.
  var isOpen: Bool { health.withLock { !$0.isClosing } }

  /// Whether nothing has been received for so long that the connection may be dead.
  var isQuiet: Bool { health.withLock { .now() - $0.lastReceived > Self.silenceMax } }

  // MARK: - Events from the handlers

  /// Records that the server has sent data of any kind.
  func recordReceived() {
    health.withLock { $0.lastReceived = .now() }
  }

  /// Records that the server has answered a request.
  func recordAnswer() {
    health.withLock { $0.lastAnswer = .now() }
  }

  /// Stops accepting requests; the connection is closed when those in flight have ended.
  func beginClosing() {
    let isIdle = health.withLock { health in
      health.isClosing = true
      return health.inFlightCount == 0
    }
    if isIdle { channel.close(promise: nil) }
  }

  /// Records a GOAWAY: the server closes the connection after this stream.
  func recordGoAway(after last: HTTP2StreamID) {
    health.withLock { $0.lastProcessed = last }
    beginClosing()
  }

  /// Whether, according to a GOAWAY, the server did not process a stream.
  func isUnprocessed(_ stream: HTTP2StreamID) -> Bool {
    health.withLock { health in health.lastProcessed.map { stream > $0 } ?? false }
  }

  /// Records that the connection is closed; no ping will be answered.
  func recordClosed() {
    answerPings(false)
  }

  func recordPingAnswer() {
    answerPings(true)
  }

  /// Answers the callers that wait for a ping; a dead connection accepts no further requests.
  private func answerPings(_ isAlive: Bool) {
    let pings = health.withLock { health in
      if !isAlive { health.isClosing = true }
      defer { health.pings = [] }
      return health.pings
    }
    for ping in pings { ping.succeed(isAlive) }
  }

  // MARK: - Use

  /// Checks by a ping whether the connection is alive; closes the connection if no answer arrives.
  func isAlive() async -> Bool {
    guard isOpen else { return false }
    let answer = channel.eventLoop.makePromise(of: Bool.self)
    health.withLock { $0.pings.append(answer) }
    let timer = channel.eventLoop.scheduleTask(in: Self.pingMax) {
      self.channel.close(promise: nil)
    }
    let ping = HTTP2Frame.FramePayload.ping(HTTP2PingData(withInteger: 1), ack: false)
    channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: ping), promise: nil)
    if !channel.isActive { recordClosed() }
    defer { timer.cancel() }
    return (try? await answer.futureResult.get()) ?? false
  }

  /// Sends a request on a new stream and waits for the response.
  func exchange(
    _ request: ExchangeRequest, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeError) -> ExchangeResponse {
    let start = NIODeadline.now()
    let nioDeadline = start + TimeAmount(max(.zero, deadline - .now))
    let reply = HTTP2Reply(on: channel.eventLoop)
    health.withLock { $0.inFlightCount += 1 }
    defer { endExchange() }
    let streamPromise = channel.eventLoop.makePromise(of: (any Channel).self)
    multiplexer.createStreamChannel(promise: streamPromise) { stream in
      stream.eventLoop.makeCompletedFuture {
        let handler = HTTP2StreamHandler(
          request, on: self, reply: reply, deadline: nioDeadline)
        try stream.pipeline.syncOperations.addHandler(handler)
      }
    }
    // This failure has no effect if the handler has already failed the reply.
    streamPromise.futureResult.whenFailure { _ in
      reply.fail(.unprocessed("the connection is closing"))
    }
    do throws(ExchangeError) {
      return try await reply.result()
    } catch {
      if error == .overdue { giveUp(ifUnansweredSince: start) }
      throw error
    }
  }

  private func endExchange() {
    let isLast = health.withLock { health in
      health.inFlightCount -= 1
      return health.isClosing && health.inFlightCount == 0
    }
    if isLast { channel.close(promise: nil) }
  }

  /// Closes the connection if nothing at all has been received since `start`. If other data, but no
  /// answer, has been received, the connection only refuses further requests. The server may be
  /// overloaded, or accept no streams.
  private func giveUp(ifUnansweredSince start: NIODeadline) {
    let (isSilent, isUnanswered) = health.withLock { health in
      (health.lastReceived < start, health.lastAnswer < start)
    }
    if isUnanswered { beginClosing() }
    if isSilent { channel.close(promise: nil) }
  }
}

extension TimeAmount {
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}

extension HTTP2Connection {
  /// Opens a connection. The connection is ready when the server's settings have arrived: they
  /// confirm HTTP/2 and contain the limit of concurrent streams.
  static func open(
    to origin: ExchangeOrigin, on loop: any EventLoop, tls: TLSContext, within span: Duration
  ) async -> Result<HTTP2Connection, ExchangeError> {
    let ready = loop.makePromise(of: HTTP2Connection.self)
    let limit = TimeAmount(max(.zero, span))
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(limit)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            try TLSHandler(connectingTo: origin.host, by: tls),
            HTTP2NegotiationHandler(ready: ready),
          ])
        }
      }
    let connectFuture = bootstrap.connect(host: origin.host, port: origin.port)
    let timer = loop.scheduleTask(in: limit) {
      ready.fail(ConnectionOpeningError("it did not answer in time"))
    }
    connectFuture.cascadeFailure(to: ready)
    defer { timer.cancel() }
    do {
      return .success(try await ready.futureResult.get())
    } catch {
      connectFuture.whenSuccess { $0.close(promise: nil) }
      let openingError = ConnectionOpeningError(error)
      return .failure(.unreachable("\(origin) is unreachable: \(openingError)"))
    }
  }
}
