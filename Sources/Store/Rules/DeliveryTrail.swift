package import Reminders

/// The records of a notification from which its delivery states are computed (rule D6). All stores
/// use this type.
package struct DeliveryTrail: Sendable {
  package var notification: Int64
  /// The channels on which the notification was or will be sent, including fallbacks.
  package var channels: ChannelSet
  /// The notification's retries and dead letters.
  package var retries: [RecordedNotification.Retry]
  /// The notification's attempts and reports.
  package var attempts: [Attempt]

  package init(
    notification: Int64, channels: ChannelSet, retries: [RecordedNotification.Retry],
    attempts: [Attempt]
  ) {
    self.notification = notification
    self.channels = channels
    self.retries = retries
    self.attempts = attempts
  }

  /// Returns the state of each delivery of the notification at the delivery's current sink.
  ///
  /// - Parameter lanes: all lanes, by sink.
  package func states(_ lanes: [String: StoredLane]) -> [DeliveryState] {
    channels.channels.compactMap { channel in
      let all = attempts.filter { $0.channel == channel && !$0.verdict.isReport }
      let own = all.filter(\.verdict.isAttempt)
      let report = attempts.first { $0.channel == channel && $0.verdict.isReport }
      var state = waiting(channel) ?? past(channel, own, lanes) ?? reported(report)
      state?.attempts = all + [report].compactMap(\.self)
      return state
    }
  }

  /// Returns the state of a delivery in retry or of a dead letter; nil for other deliveries.
  private func waiting(_ channel: Channel) -> DeliveryState? {
    retries.first { $0.channel == channel }.map { retry in
      let (attempts, reason) = (retry.attempts, retry.reason)
      let progress: DeliveryState.Progress =
        retry.due.map { .retrying(attempts: attempts, due: $0, reason: reason) }
        ?? .dead(attempts: attempts, reason: reason)
      return DeliveryState(sink: retry.sink, channel: channel, progress: progress)
    }
  }

  /// Returns the state of a delivery of which only a report is left; nil without a report.
  private func reported(_ report: Attempt?) -> DeliveryState? {
    report.map { DeliveryState(sink: $0.sink, channel: $0.channel, progress: .delivered) }
  }

  /// Returns the state of a delivery that is not in retry: by its last attempt, otherwise by the
  /// lane of its channel. Returns nil if there is neither.
  private func past(
    _ channel: Channel, _ attempts: [Attempt], _ lanes: [String: StoredLane]
  ) -> DeliveryState? {
    if let last = attempts.last {
      let progress: DeliveryState.Progress =
        switch last.verdict {
        case .delivered: .delivered
        case .dropped: .dropped(reason: last.reason)
        case .retry, .rejected: .failed(reason: last.reason)
        case .received, .failed, .bounced, .complained: .delivered
        case .withdrawing, .withdrawn, .notWithdrawn: .delivered
        }
      return DeliveryState(sink: last.sink, channel: channel, progress: progress)
    }
    return lanes.first { $0.value.channels.contains(ChannelSet(channel)) }.map { sink, lane in
      DeliveryState(
        sink: sink, channel: channel,
        progress: lane.cursor >= notification ? .delivered : .waiting)
    }
  }
}
