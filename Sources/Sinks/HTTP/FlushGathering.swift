internal import NIOCore

/// Sends what is written to a connection in one go by one system call.
///
/// The client flushes the head of a request and then its body. Each would go out as a packet of its
/// own, and wake the other side twice.
final class FlushGathering: ChannelOutboundHandler {
  typealias OutboundIn = IOData

  private var isDue = false

  func flush(context: ChannelHandlerContext) {
    guard !isDue else { return }
    isDue = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    // Comes after all that the loop has to do by now, and before it sleeps.
    context.eventLoop.execute {
      let (gathering, context) = bound.value
      gathering.flushNow(context)
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    flushNow(context)
    context.close(mode: mode, promise: promise)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    isDue = false
  }

  private func flushNow(_ context: ChannelHandlerContext) {
    guard isDue else { return }
    isDue = false
    context.flush()
  }
}
