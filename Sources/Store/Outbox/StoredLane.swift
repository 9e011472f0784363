package import CivilTime
package import Reminders

/// How far a sink's lane has come, as it is on disk.
package struct StoredLane: Hashable, Sendable {
  /// Up to which notification the sink has answered for everything on its channels.
  package var place: Int64
  /// The channels of which it was the first choice.
  package var channels: ChannelSet
  /// The last notification that the sink may have been handed.
  package var handed: Int64

  package init(place: Int64, channels: ChannelSet, handed: Int64) {
    self.place = place
    self.channels = channels
    self.handed = handed
  }
}

/// What of a lane has moved on; what is nil stays.
package struct LaneProgress: Hashable, Sendable {
  package var sink: String
  package var place: Int64?
  /// Up to which notification the sink is about to be handed everything, by this start.
  package var handed: Int64?

  package init(sink: String, place: Int64? = nil, handed: Int64? = nil) {
    self.sink = sink
    self.place = place
    self.handed = handed
  }
}

/// What waits for a sink.
package struct LaneBacklog: Hashable, Sendable {
  package var retrying = 0
  package var deadLetters = 0
  /// When the oldest delivery that it has in retry was decided.
  package var oldestRetry: Instant?
  /// When the first delivery after a place was decided, if that is asked for.
  package var oldestDelivery: Instant?

  package init() {}
}

/// A delivery that is attempted on its own: after a failed attempt, or by a sink that takes over
/// from another.
package struct Retry: Sendable {
  package var sink: String
  package var delivery: Delivery
  /// How many attempts of this sink have failed.
  package var attempts: Int
  /// At how many deaths of the service a sink had it, without an answer since.
  package var deaths: Int

  package init(sink: String, delivery: Delivery, attempts: Int, deaths: Int = 0) {
    self.sink = sink
    self.delivery = delivery
    self.attempts = attempts
    self.deaths = deaths
  }
}

/// A delivery that is attempted no more.
package struct DeadLetter: Sendable {
  package var delivery: Delivery
  /// The last sink that had it, and how often.
  package var sink: String
  package var attempts: Int
  package var reason: String
  /// At how many deaths of the service a sink had it.
  package var deaths: Int

  package init(
    delivery: Delivery, sink: String, attempts: Int, reason: String, deaths: Int = 0
  ) {
    self.delivery = delivery
    self.sink = sink
    self.attempts = attempts
    self.reason = reason
    self.deaths = deaths
  }
}

extension DeadLetter {
  /// Why nobody attempts what is to go out on a channel without a sink.
  package static func uncarried(_ channel: Channel) -> String {
    "no sink carries \(channel.name) any more"
  }
}
