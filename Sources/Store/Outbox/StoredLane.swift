package import CivilTime
package import Reminders

/// The stored progress of a lane, which is the queue of one sink.
package struct StoredLane: Hashable, Sendable {
  /// The cursor: on its channels, the sink has answered every notification up to this number.
  package var cursor: Int64
  /// The channels for which the sink is the first in the route.
  package var channels: ChannelSet
  /// The last notification that may have been dispatched to the sink.
  package var lastDispatched: Int64

  package init(cursor: Int64, channels: ChannelSet, lastDispatched: Int64) {
    self.cursor = cursor
    self.channels = channels
    self.lastDispatched = lastDispatched
  }
}

/// The changed progress of a lane. A nil cursor or `lastDispatched` means no change.
package struct LaneProgress: Hashable, Sendable {
  package var sink: String
  /// The cursor: the sink has answered every delivery up to this notification.
  package var cursor: Int64?
  /// The last notification that this process is about to dispatch.
  package var lastDispatched: Int64?

  package init(sink: String, cursor: Int64? = nil, lastDispatched: Int64? = nil) {
    self.sink = sink
    self.cursor = cursor
    self.lastDispatched = lastDispatched
  }
}

/// The deliveries that wait for a sink.
package struct LaneBacklog: Hashable, Sendable {
  /// The number up to which retries and dead letters are counted. The status may be requested each
  /// second, and its cost must not grow with their number.
  package static let countMax = 10_000

  /// The number of deliveries in retry, up to the limit of the query.
  package var retrying = 0
  /// The number of dead letters, up to the limit of the query.
  package var deadLetters = 0
  /// The instant at which the gates passed the oldest delivery in retry. If more deliveries than
  /// the limit are in retry, only the deliveries that are due first count.
  package var oldestRetry: Instant?
  /// The instant at which the gates passed the first delivery after the given cursor, if requested.
  package var oldestDelivery: Instant?

  package init() {}
}

/// A delivery that is attempted apart from its lane's queue: after a failed attempt, or by another
/// sink.
package struct Retry: Sendable {
  package var sink: String
  package var delivery: Delivery
  /// The number of failed attempts by this sink.
  package var attempts: Int
  /// The number of crashes of the service while the delivery was in flight, since the sink last
  /// answered it.
  package var deaths: Int

  package init(sink: String, delivery: Delivery, attempts: Int, deaths: Int = 0) {
    self.sink = sink
    self.delivery = delivery
    self.attempts = attempts
    self.deaths = deaths
  }
}

/// A delivery with no attempts left.
package struct DeadLetter: Sendable {
  package var delivery: Delivery
  /// The last sink that had the delivery; `attempts` counts the attempts by this sink.
  package var sink: String
  package var attempts: Int
  package var reason: String
  /// The number of crashes of the service while the delivery was in flight.
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
  /// The reason of a dead letter whose channel has no sink.
  package static func noSinkReason(_ channel: Channel) -> String {
    "no sink carries \(channel.name)"
  }
}
