import NIOCore

/// Notes a connection when it is set up, and closes it when its peer does not read what it is sent:
/// an answer to such a peer would wait, and hold up the end of the service, for ever.
///
/// When the service ends, a connection that is so new that nothing has been asked on it gets a
/// moment: the request may be on its way, and its sender would not know what became of it.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = NIOAny

  private let channels: OpenChannels
  private let seat: ConnectionSeat
  private let patience: TimeAmount
  private var closing: Scheduled<Void>?
  private var hasAsked = false
  /// The end of a connection on which nothing has been asked.
  private var ending: Scheduled<Void>?

  private static let moment = TimeAmount.milliseconds(100)

  init(channels: OpenChannels, seat: ConnectionSeat, patience: TimeAmount) {
    self.channels = channels
    self.seat = seat
    self.patience = patience
  }

  func handlerAdded(context: ChannelHandlerContext) {
    channels.add(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasAsked = true
    context.fireChannelRead(data)
    guard let ending else { return }
    ending.cancel()
    end(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, !hasAsked, ending == nil else {
      return context.fireUserInboundEventTriggered(event)
    }
    ending = context.eventLoop.assumeIsolated().scheduleTask(in: Self.moment) {
      self.end(context)
    }
  }

  private func end(_ context: ChannelHandlerContext) {
    ending = nil
    context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    closing?.cancel()
    closing = nil
    if !context.channel.isWritable {
      let channel = context.channel
      closing = context.eventLoop.scheduleTask(in: patience) { [seat] in
        seat.count(.stalled)
        channel.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    closing?.cancel()
    ending?.cancel()
  }
}
