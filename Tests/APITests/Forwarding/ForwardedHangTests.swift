import AnswerPeers
import NIOCore
import TLS
import Testing

@testable import API

/// Rule F12: if a node hangs in the middle of an answer, the client gets an error in time.
@Suite(.timeLimit(.minutes(1))) struct ForwardedHangTests {
  private let fleet = FakeFleet()

  /// Returns the answer to a change of the preferences of `ub`. The node `b`, which owns this
  /// recipient, hangs while it answers.
  ///
  /// - Parameter whenHanging: called when the head and some of the body have been sent.
  private func answer(
    timeout: Duration, whenHanging: @escaping @Sendable () -> Void = {}
  ) async throws -> Reply {
    let certificates = try FleetCertificates.shared.get()
    let peer = try await AnswerPeer(tls: certificates.membership().serverContext) {
      HalfAnswer(whenHanging)
    }
    fleet.setAddress(of: "b", to: "127.0.0.1:\(peer.port)")
    fleet.give("ub", to: "b")
    let link = try fleet.link("a", timeout: timeout)
    return try await TestServer.serving(try FakeService(), fleet: link) { node in
      let reply = try await node.call(
        "PATCH", "/v1/recipients/ub/preferences", headers: ["content-type": "application/json"],
        body: #"{"master":false}"#)
      withExtendedLifetime(peer) {}
      return reply
    }
  }

  @Test func `F12: a request to a node that hangs after the head fails at the deadline`()
    async throws
  {
    let reply = try await answer(timeout: .milliseconds(300))
    #expect(reply.status == 503)
    #expect(reply["retry-after"] == "1")
    #expect(reply.text.contains("may have carried out the request"), "\(reply.text)")
  }

  @Test func `F12: a request to a hanging node fails as soon as the node is fenced`() async throws {
    let reply = try await answer(timeout: .seconds(3_600)) { [fleet] in fleet.fence("b") }
    #expect(reply.status == 503)
    #expect(reply["retry-after"] == "1")
    #expect(reply.text.contains("others take over from it"), "\(reply.text)")
  }

  /// A stream has a heartbeat every 15 seconds; a test may be silent for 50.
  @Test func `F12: a node may be silent for longer than any answer of it`() {
    #expect(RequestForwarding.silenceMax(of: .stream) == .seconds(20))
    #expect(TestNotificationRoute.waits.upperBound == 50)
    #expect(RequestForwarding.silenceMax(of: .test) == .seconds(60))
    #expect(RequestForwarding.silenceMax(of: .changePreferences) == nil)
  }
}

/// Answers with a head and a part of the announced body, and then hangs.
private final class HalfAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let text =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"

  private let whenHanging: @Sendable () -> Void
  private var hasAnswered = false

  init(_ whenHanging: @escaping @Sendable () -> Void) {
    self.whenHanging = whenHanging
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasAnswered else { return }
    hasAnswered = true
    let bytes = NIOAny(ByteBuffer(string: Self.text))
    context.writeAndFlush(bytes).whenSuccess { [whenHanging] in whenHanging() }
  }
}
