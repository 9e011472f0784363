package import Reminders

/// The progress of a notification on its channels (rule D7). It is also the progress of the other
/// notifications of its occurrence.
package struct NotificationReach: Hashable, Sendable {
  /// The channels on which the notification was or will be sent.
  private var channels: ChannelSet
  /// The channels on which a sink has accepted the notification, except the inbox.
  private var delivered: ChannelSet = []
  /// The sinks that have or will get the notification, by channel, except the inbox.
  private var sending: [Channel: String] = [:]
  /// The other notifications of the occurrence, whose progress is the same.
  let companions: Set<Int64>

  package init(
    channels: ChannelSet = [], states: [DeliveryState] = [], companions: Set<Int64> = []
  ) {
    (self.channels, self.companions) = (channels, companions)
    for state in states where state.channel != .inapp {
      switch state.publicState {
      case .accepted, .received, .complained: delivered.insert(ChannelSet(state.channel))
      case .sending: sending[state.channel] = state.sink
      case .failed, .bounced, .dropped, .bundled: break
      }
    }
  }

  /// Returns the first of the `channels` on which the notification was not sent. Returns nil if
  /// another channel has reached the recipient, or may still do so.
  ///
  /// - Parameters:
  ///   - channel: the channel that has failed.
  ///   - failing: the sinks in an outage, for which the fallback does not wait.
  func fallback(
    among channels: [Channel], from channel: Channel, notWaitingFor failing: Set<String> = []
  ) -> Channel? {
    guard delivered.isEmpty else { return nil }
    let isWaiting = sending.contains { $0.key != channel && !failing.contains($0.value) }
    return isWaiting ? nil : channels.first { !self.channels.contains(ChannelSet($0)) }
  }

  /// Records that a sink has accepted the notification on a channel.
  mutating func recordDelivered(on channel: Channel) {
    guard channel != .inapp else { return }
    sending[channel] = nil
    delivered.insert(ChannelSet(channel))
  }

  /// Records that no sink of a channel will get the notification.
  mutating func recordFailed(on channel: Channel) { sending[channel] = nil }

  /// Records that a sink will get the notification on a fallback channel.
  mutating func recordFallback(on channel: Channel, by sink: String) {
    channels.insert(ChannelSet(channel))
    sending[channel] = sink
  }
}
