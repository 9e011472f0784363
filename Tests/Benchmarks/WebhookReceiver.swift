import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A minimal webhook receiver: one thread that reads each request and answers it.
final class WebhookReceiver: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let channel: any Channel
  private let counter = Counter()

  final class Counter: Sendable {
    let requests = Atomic(0)
  }

  init() async throws {
    let counter = counter
    channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: false)
          try channel.pipeline.syncOperations.addHandler(Answerer(counter))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }
  var count: Int { counter.requests.load(ordering: .relaxed) }

  func stop() async throws {
    try await channel.close()
    try await group.shutdownGracefully()
  }
}

private final class Answerer: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private static let head = HTTPResponseHead(
    version: .http1_1, status: .ok, headers: ["content-length": "0"])
  private let counter: WebhookReceiver.Counter

  init(_ counter: WebhookReceiver.Counter) {
    self.counter = counter
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    counter.requests.wrappingAdd(1, ordering: .relaxed)
    context.write(wrapOutboundOut(.head(Self.head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
