import CivilTime
import Engine
import Glibc
import NIOCore
import NIOPosix
import Reminders
import ServiceDouble
import ServiceLifecycleTestKit
import TestSupport
import Testing

@testable import API

@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
  /// A service that blocks in `submit` until the test releases it.
  private final class SlowService: ServiceDouble {
    let base: FakeService
    let hasBegun = AsyncStream<Void>.makeStream()
    let mayContinue = AsyncStream<Void>.makeStream()

    init() throws {
      base = try FakeService()
    }

    var planner: Planner { base.planner }

    func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
      hasBegun.continuation.finish()
      for await _ in mayContinue.stream {}
      return try await base.submit(events)
    }
  }

  @Test func `a request in progress is answered before the shutdown`() async throws {
    let service = try SlowService()
    try await TestServer.serving(service) { server in
      async let reply = server.perform(
        "POST", "/v1/events", headers: ["content-type": "application/json"],
        body: Fixtures.event("e1"))
      for await _ in service.hasBegun.stream {}
      await server.stop()
      service.mayContinue.continuation.finish()
      let status = try await reply.status
      #expect(status == 202)
    }
    #expect(service.base.groups == [["e1"]])
  }

  @Test func `an idle connection is closed at shutdown`() async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { used in
        try await used.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await used.receive(until: "\"ok\"}")
        try await RawConnection.opened(to: server) { unused in
          await server.stop()
          let answers = try await (unused.receiveAll(), used.receiveAll())
          #expect(answers.0 == "")
          #expect(answers.1.hasSuffix("\"ok\"}"))
        }
      }
    }
  }

  @Test func `a server stopped before it binds never reports that it serves`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory + "/s"
      let api = APIServer(
        service: try FakeService(), socket: path, logger: TestServer.logger,
        now: { Fixtures.now }, whenBound: { _ in Issue.record("clients can connect") })
      try await testGracefulShutdown { trigger in
        trigger.triggerGracefulShutdown()
        try await api.run()
      }
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func `a connection opened during shutdown gets the quiescing event too`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let channels = OpenChannels()
      let earlyConnection = try await connection(to: server)
      channels.add(earlyConnection.channel)
      channels.end()
      let lateConnection = try await connection(to: server)
      channels.add(lateConnection.channel)
      for await _ in earlyConnection.end {}
      for await _ in lateConnection.end {}
      #expect(earlyConnection.channel.isActive && lateConnection.channel.isActive)
    }
  }

  /// Returns a connection, and a stream that ends when the connection gets the quiescing event.
  private func connection(
    to server: TestServer
  ) async throws -> (channel: any NIOCore.Channel, end: AsyncStream<Void>) {
    let (end, signal) = AsyncStream<Void>.makeStream()
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(QuiescingListener(signal: signal))
        }
      }
      .connect(unixDomainSocketPath: server.socket).get()
    return (channel, end)
  }

  /// Reports the quiescing event of its connection.
  private final class QuiescingListener: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    let signal: AsyncStream<Void>.Continuation

    init(signal: AsyncStream<Void>.Continuation) {
      self.signal = signal
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is ChannelShouldQuiesceEvent { signal.finish() }
    }
  }
}
