package import Reminders

/// What is on record of a notification that went out, from which is told how far it has come
/// (rule D6). The same for every store.
package struct DeliveryTrail: Sendable {
  package var notification: Int64
  /// Those that it has gone out on, or is going to, in whichever way.
  package var channels: ChannelSet
  /// What waits for another attempt, or is a dead letter.
  package var retries: [KeptNotification.Retry]
  package var attempts: [Attempt]

  package init(
    notification: Int64, channels: ChannelSet, retries: [KeptNotification.Retry],
    attempts: [Attempt]
  ) {
    self.notification = notification
    self.channels = channels
    self.retries = retries
    self.attempts = attempts
  }

  /// How far it has come on each of its channels, at the sink that has it.
  ///
  /// - Parameter lanes: all there are, by sink.
  package func states(_ lanes: [String: StoredLane]) -> [DeliveryState] {
    channels.channels.compactMap { channel in
      let own = attempts.filter { $0.channel == channel }
      var state = waiting(channel) ?? past(channel, own, lanes)
      state?.attempts = own
      return state
    }
  }

  private func waiting(_ channel: Channel) -> DeliveryState? {
    retries.first { $0.channel == channel }.map { retry in
      let (attempts, reason) = (retry.attempts, retry.reason)
      let progress: DeliveryState.Progress =
        retry.due.map { .retrying(attempts: attempts, due: $0, reason: reason) }
        ?? .dead(attempts: attempts, reason: reason)
      return DeliveryState(sink: retry.sink, channel: channel, progress: progress)
    }
  }

  /// Of what waits nowhere: where it went; nil if nothing carries its channel.
  private func past(
    _ channel: Channel, _ attempts: [Attempt], _ lanes: [String: StoredLane]
  ) -> DeliveryState? {
    if let last = attempts.last {
      let progress: DeliveryState.Progress =
        switch last.verdict {
        case .delivered: .handedOver
        case .dropped: .dropped(reason: last.reason)
        case .retry, .rejected: .failed(reason: last.reason)
        }
      return DeliveryState(sink: last.sink, channel: channel, progress: progress)
    }
    return lanes.first { $0.value.channels.contains(ChannelSet(channel)) }.map { sink, lane in
      DeliveryState(
        sink: sink, channel: channel,
        progress: lane.place >= notification ? .handedOver : .waiting)
    }
  }
}
