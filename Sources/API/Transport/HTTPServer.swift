import Access
import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import Synchronization
import TLS

/// Serves HTTP/1.1 on the connections of a listening socket.
///
/// The server keeps no timer while no connection is open. Hummingbird's `Application` would wake
/// every second to renew a date.
struct HTTPServer: Sendable {
  typealias Responder = @Sendable (Request, RequestScope) async -> Response

  let limits: APILimits
  let logger: Logger
  let channels: OpenChannels
  /// The administrators among the callers of the Unix socket, for their limit of connections.
  let administrators: LocalAuthority
  let counts: ConnectionCounts
  let clock: @Sendable () -> ContinuousClock.Instant
  /// Answers requests with events that arrive complete.
  let submitEvents: EventRequestHandler.Responder
  let respond: Responder
  /// The TLS settings by which nodes of the fleet are verified; nil for a listener without TLS.
  var nodeTLS: TLSContext?

  /// Thrown if the connection ends, or the request proves to be invalid, after the response has
  /// begun. No other response is possible then.
  private struct CutOffResponseError: Error {}

  /// Serves until the open channels are ended, and completes the answers in progress.
  ///
  /// - Parameters:
  ///   - socket: closed at the end.
  ///   - whenServing: called once, when connections are accepted.
  func serve(_ socket: ListeningSocket, whenServing: () async -> Void) async throws {
    let limiter = ConnectionLimiter(limits: limits, counts: counts, clock: clock)
    let isForNodes = nodeTLS != nil
    let bootstrap = bootstrap(
      limiter, isForNodes ? .nodes : socket.isLocal ? .local : .network)
    let listener = try await bootstrap.bind(socket.descriptor) { channel in
      setUp(channel, with: limiter)
    }
    // NIO has called listen again, with its own length of the queue. Restore this service's length.
    _ = Glibc.listen(socket.descriptor, ListeningSocket.backlog)
    channels.add(listener.channel)
    await whenServing()
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { await connection.serve() }
        }
      }
    }
  }

  private func setUp(
    _ channel: any Channel, with limiter: ConnectionLimiter
  ) -> EventLoopFuture<QueuedConnection> {
    channel.eventLoop.makeCompletedFuture {
      guard let permit = limiter.permit(of: channel) else { throw ChannelError.ioOnClosedChannel }
      // Set the option here. The bootstrap's option would fail the listener if the connection
      // has already ended.
      try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
      if let nodeTLS {
        try channel.pipeline.syncOperations.addHandler(TLSHandler(acceptingBy: nodeTLS))
      }
      let deadline = RequestDeadline(limits, of: permit)
      let requestGuard = RequestGuard(deadline: deadline, permit: permit, linger: limits.linger)
      try channel.pipeline.syncOperations.addHandlers(
        EventRequestHandler(from: permit.origin, behind: requestGuard, respond: submitEvents),
        deadline)
      let http = HTTP1Channel(
        responder: { request, writer, channel in
          try await answer(request, with: writer, on: channel, permit)
        },
        configuration: configuration(
          NIOLoopBound(requestGuard, eventLoop: channel.eventLoop), permit))
      return (http, permit)
    }.flatMap { http, permit in
      http.setup(channel: channel, logger: logger).flatMapThrowing { @Sendable value in
        try addHandlers(to: channel.pipeline.syncOperations, permit)
        return QueuedConnection(value, http: http, logger: logger)
      }
    }.flatMapErrorThrowing { error in
      channel.close(promise: nil)
      throw error
    }
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ permit: ConnectionPermit
  ) throws {
    try pipeline.addHandler(
      HeadHandler(needsHost: !permit.origin.isLocal),
      position: .after(pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)))
  }

  private func bootstrap(_ limiter: ConnectionLimiter, _ kind: ListenerKind) -> ServerBootstrap {
    ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ConnectionGate(
              limiter: limiter, limits: limits, kind: kind, administrators: administrators))
        }
      }
  }

  private func configuration(
    _ requestGuard: NIOLoopBound<RequestGuard>, _ permit: ConnectionPermit
  ) -> HTTP1Channel.Configuration {
    let timeout = TimeAmount(limits.stall)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        requestGuard.value,
        ContinueHandler(limits: limits),
        ConnectionHandler(
          channels: channels, permit: permit, requestGuard: requestGuard.value, timeout: timeout),
      ],
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerField, maxHeaderListSize: limits.headerList,
        maxHeaderFieldCount: limits.headerCount))
  }

  private func answer(
    _ request: Request, with writer: consuming ResponseWriter, on channel: any Channel,
    _ permit: ConnectionPermit
  ) async throws {
    let scope = RequestScope(logger: logger, channel: channel, permit: permit)
    let response = await respond(request, scope)
    do {
      try await writer.write(response: response.head, body: response.body)
    } catch {
      // The original error could be one of HTTP parsing, which would be answered with a 400 in the
      // middle of this response.
      throw CutOffResponseError()
    }
  }
}

/// A connection that was accepted and waits for the task that serves it.
///
/// The service may stop before the task runs. NIO treats a connection that was started and never
/// ended as a programming error and ends the process, so an unserved connection is ended here.
final class QueuedConnection: Sendable {
  private let value: HTTP1Channel.Value
  private let http: HTTP1Channel
  private let logger: Logger
  private let isServed = Atomic(false)

  init(_ value: HTTP1Channel.Value, http: HTTP1Channel, logger: Logger) {
    self.value = value
    self.http = http
    self.logger = logger
  }

  func serve() async {
    isServed.store(true, ordering: .relaxed)
    await http.handle(value: value, logger: logger)
  }

  deinit {
    guard !isServed.load(ordering: .relaxed) else { return }
    let (value, http, logger) = (value, http, logger)
    value.channel.close(promise: nil)
    Task { await http.handle(value: value, logger: logger) }
  }
}
