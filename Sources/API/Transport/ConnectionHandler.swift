import NIOCore

/// Notes a connection when it is set up, and closes it when its peer does not read what it is sent:
/// an answer to such a peer would wait, and hold up the end of the service, for ever.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = NIOAny

  private let channels: OpenChannels
  private let patience: TimeAmount
  private var closing: Scheduled<Void>?

  init(channels: OpenChannels, patience: TimeAmount) {
    self.channels = channels
    self.patience = patience
  }

  func handlerAdded(context: ChannelHandlerContext) {
    channels.add(context.channel)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    closing?.cancel()
    closing = nil
    if !context.channel.isWritable {
      let channel = context.channel
      closing = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    closing?.cancel()
  }
}
