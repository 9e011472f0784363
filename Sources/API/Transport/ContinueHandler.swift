import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells a client that asks before it sends a large body to go ahead (RFC 9110, section 10.1.1);
/// curl would otherwise wait a second.
final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data),
      head.headerFields[.expect]?.lowercased() == "100-continue"
    {
      let answer = HTTPResponse(status: .init(code: 100, reasonPhrase: "Continue"))
      context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
    }
    context.fireChannelRead(data)
  }
}
