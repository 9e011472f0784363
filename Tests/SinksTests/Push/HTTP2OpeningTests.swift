import AnswerPeers
import NIOCore
import Sinks
import TLS
import Testing

/// The reported reasons why a connection cannot be opened.
@Suite struct HTTP2OpeningTests {
  private let keys: PushKeys

  init() async throws {
    keys = try await PushKeys.shared()
  }

  private func tls(_ protocolName: StaticString?, certificate: String = "peer") throws -> TLSContext
  {
    try TLSContext(
      acceptingBy: protocolName, certificates: keys.directory + "/\(certificate).pem",
      key: keys.directory + "/peer.key")
  }

  private func reason(
    _ tls: TLSContext?, talk: @escaping @Sendable () -> any ChannelHandler = { Silence() }
  ) async throws -> String? {
    let peer = try await AnswerPeer(tls: tls, makeHandler: talk)
    let client = try HTTP2Client(trust: keys.trust)
    let origin = ExchangeOrigin(host: "localhost", port: peer.port)
    let failure = await #expect(throws: ExchangeError.self) {
      try await client.send(
        ExchangeRequest(posting: [], to: origin, path: "/", headers: []),
        before: .now + .seconds(30))
    }
    return failure?.reason.replacing("\(origin) is unreachable: ", with: "")
  }

  @Test func `an expired certificate is reported`() async throws {
    #expect(
      try await reason(tls("h2", certificate: "old"))
        == "its certificate is out of date (certificate has expired); check its dates and "
        + "this machine's clock")
  }

  @Test(arguments: [nil, "http/1.1"])
  func `a server without HTTP/2 is reported`(protocolName: String?) async throws {
    let tls = try tls(protocolName == nil ? nil : "http/1.1")
    #expect(try await reason(tls) == "it does not speak HTTP/2")
  }

  @Test func `a server without TLS is reported`() async throws {
    let reason = try await reason(nil, talk: { Greeting("220 mail.example ESMTP\r\n") })
    #expect(reason == "TLS fails (wrong version number)")
  }

  @Test func `a server that closes the connection is reported`() async throws {
    #expect(try await reason(nil, talk: { Greeting(nil) }) == "it closed the connection")
    #expect(try await reason(tls("h2"), talk: { Greeting(nil) }) == "it closed the connection")
  }
}

/// Accepts connections and never answers.
private final class Silence: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// Answers the first bytes with a text, or closes the connection.
private final class Greeting: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let text: String?

  init(_ text: String?) {
    self.text = text
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let text else { return context.close(promise: nil) }
    context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
