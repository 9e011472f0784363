import NIOCore
import NIOHTTP1

/// Lets sound heads pass, each with the answer that its version of HTTP can read; nothing of a
/// connection is read on whose request was not sound.
final class HeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct Expected {
    let version: HTTPVersion
    let isLast: Bool
  }

  private let needsHost: Bool
  private var isRefusing = false
  /// The answers still to be completed, in order.
  private var expected: [Expected] = []

  init(needsHost: Bool) {
    self.needsHost = needsHost
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefusing else { return }
    guard case .head(let head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    do throws(HeadFault) {
      let head = try SoundHead.settled(head, needsHost: needsHost)
      let isLast = head.headers.first(name: "Connection") == "close"
      expected.append(Expected(version: head.version, isLast: isLast))
      context.fireChannelRead(wrapInboundOut(.head(head)))
    } catch {
      isRefusing = true
      context.fireErrorCaught(error)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where expected.first?.isLast == true && head.status.code >= 200:
      // Without a length, the end of the connection is the end of such a body.
      if let version = expected.first?.version { head.version = version }
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      if !expected.isEmpty { expected.removeFirst() }
      context.write(data, promise: promise)
    default: context.write(data, promise: promise)
    }
  }
}
