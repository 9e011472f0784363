import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOPosix

/// Serves HTTP/1.1 on the connections of a listening socket.
///
/// It keeps no timer while no connection is open, unlike Hummingbird's `Application`, which wakes
/// every second to renew a date.
struct HTTPServer: Sendable {
  typealias Responder = @Sendable (Request, RequestScope) async -> Response

  let limits: APILimits
  let logger: Logger
  let channels: OpenChannels
  let take: WholeAnswers.Responder
  let respond: Responder

  /// The connection went, or the request that the response depends on turned out to be unsound:
  /// there is no other answer to give.
  private struct ResponseCutOff: Error {}

  /// Serves until the open channels are told to end, and what is being answered then to its end.
  ///
  /// - Parameters:
  ///   - socket: it is closed at the end.
  ///   - whenServing: called once, when connections are taken.
  func serve(_ socket: ListeningSocket, whenServing: () async -> Void) async throws {
    let listener = try await bootstrap.bind(socket.descriptor) { channel in
      setUp(channel, isLocal: socket.isLocal)
    }
    // NIO has had it listen once more, with a queue of its own length.
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
    _ channel: any Channel, isLocal: Bool
  ) -> EventLoopFuture<QueuedConnection> {
    channel.eventLoop.makeCompletedFuture {
      let origin = try ConnectionOrigin(channel, isLocal: isLocal)
      let deadline = HeadDeadline(after: limits.headDeadline)
      try channel.pipeline.syncOperations.addHandler(deadline)
      let http = HTTP1Channel(
        responder: { request, writer, channel in
          try await answer(request, with: writer, on: channel, from: origin)
        },
        configuration: configuration(NIOLoopBound(deadline, eventLoop: channel.eventLoop)))
      return (http, origin)
    }.flatMap { http, origin in
      http.setup(channel: channel, logger: logger).flatMapThrowing { value in
        // Before the task that serves the connection, behind what keeps its limits.
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
          WholeAnswers(from: origin, respond: take),
          position: .after(pipeline.handler(type: HTTPConnectionStateHandler.self)))
        return QueuedConnection(value, http: http, logger: logger)
      }
    }
  }

  private var bootstrap: ServerBootstrap {
    ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let limit = MaximumAvailableConnections(limits.connections, logger: logger)
          try channel.pipeline.syncOperations.addHandler(
            AvailableConnectionsChannelHandler(delegate: limit))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
  }

  private func configuration(
    _ deadline: NIOLoopBound<HeadDeadline>
  ) -> HTTP1Channel.Configuration {
    let patience = TimeAmount(limits.stall)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        RequestGuard(deadline: deadline.value, linger: limits.linger), ContinueHandler(),
        ConnectionHandler(channels: channels, patience: patience),
      ],
      idleTimeout: TimeAmount(limits.idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerField, maxHeaderListSize: limits.headerList,
        maxHeaderFieldCount: limits.headerCount))
  }

  private func answer(
    _ request: Request, with writer: consuming ResponseWriter, on channel: any Channel,
    from origin: ConnectionOrigin
  ) async throws {
    let scope = RequestScope(logger: logger, channel: channel, origin: origin)
    let response = await respond(request, scope)
    do {
      try await writer.write(response: response.head, body: response.body)
    } catch {
      // The error itself could be one of HTTP's grammar, and would be answered with a 400 in the
      // middle of this response.
      throw ResponseCutOff()
    }
  }
}
