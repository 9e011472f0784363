import AnswerPeers
import NIOCore
import TLS
import Testing

@testable import API

/// A node that hangs in the middle of an answer (rule F9): who asked is told so in time.
@Suite(.timeLimit(.minutes(1))) struct ForwardedHangTests {
  private let fleet = FakeFleet()

  /// What another node says to a change of "ub", who is its own.
  ///
  /// - Parameter hang: called when the head and some of the body have gone out.
  private func answer(
    patience: Duration, hang: @escaping @Sendable () -> Void = {}
  ) async throws -> Reply {
    let certificates = try FleetCertificates.made.get()
    let peer = try await AnswerPeer(tls: certificates.membership().accepting) { HalfAnswer(hang) }
    fleet.settle("b", at: "127.0.0.1:\(peer.port)")
    fleet.give("ub", to: "b")
    let link = try fleet.link("a", patience: patience)
    return try await TestServer.serving(try FakeService(), fleet: link) { node in
      let reply = try await node.call(
        "PATCH", "/v1/recipients/ub/preferences", headers: ["content-type": "application/json"],
        body: #"{"master":false}"#)
      withExtendedLifetime(peer) {}
      return reply
    }
  }

  @Test func f9WhoHangsBehindTheHeadIsWaitedForUntilTheDeadline() async throws {
    let reply = try await answer(patience: .milliseconds(300))
    #expect(reply.status == 503)
    #expect(reply["retry-after"] == "1")
    #expect(reply.text.contains("may have done it all the same"), "\(reply.text)")
  }

  @Test func f9WhoIsTakenOverFromBehindTheHeadIsWaitedForNoLonger() async throws {
    let reply = try await answer(patience: .seconds(3_600)) { [fleet] in fleet.fence("b") }
    #expect(reply.status == 503)
    #expect(reply["retry-after"] == "1")
    #expect(reply.text.contains("others take over from it"), "\(reply.text)")
  }
}

/// Answers with a head, a part of what it announces, and nothing else.
private final class HalfAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let text =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"

  private let hang: @Sendable () -> Void
  private var hasAnswered = false

  init(_ hang: @escaping @Sendable () -> Void) {
    self.hang = hang
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasAnswered else { return }
    hasAnswered = true
    let bytes = NIOAny(ByteBuffer(string: Self.text))
    context.writeAndFlush(bytes).whenSuccess { [hang] in hang() }
  }
}
