package import CivilTime

/// How far a notification has come on one channel, at one sink.
package struct DeliveryState: Hashable, Sendable {
  package enum Progress: Hashable, Sendable {
    /// Not handed to the sink yet.
    case waiting
    case handedOver
    /// Attempted so often, to be attempted again; the reason is what the sink or a gate said.
    case retrying(attempts: Int, due: Instant, reason: String)
    /// Given up: the sink rejected it, or all attempts failed.
    case dead(attempts: Int, reason: String)
    /// Given up, and another channel took over.
    case failed(reason: String)
    /// The gates did not let it go to the sink in the end.
    case dropped(reason: String)
  }

  package var sink: String
  package var channel: Channel
  package var progress: Progress
  /// What is kept of its attempts at this sink and those before it, in order.
  package var attempts: [Attempt] = []

  package init(sink: String, channel: Channel, progress: Progress) {
    self.sink = sink
    self.channel = channel
    self.progress = progress
  }
}
