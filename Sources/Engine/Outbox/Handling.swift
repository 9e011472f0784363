import Outbox
import Reminders
import Store

/// What becomes of several deliveries, decided one after the other and written in one go.
struct Handling {
  var changes = DeliveryChanges()
  /// The notifications that it may be about, looked up together when one is asked of.
  private let candidates: [Int64]
  private var standings: [Int64: DeliveryStanding]?

  init(candidates: [Int64]) {
    self.candidates = candidates
  }

  mutating func keep(_ attempt: Attempt, isFirst: Bool) {
    if isFirst {
      changes.firstAttempts.append(attempt)
    } else {
      changes.laterAttempts.append(attempt)
    }
  }

  /// The channels that a notification has gone out on, or is going to, in whichever way.
  mutating func channels(
    of notification: Int64, in transaction: any StoreWriter
  ) throws -> ChannelSet {
    try standing(of: notification, in: transaction)?.channels ?? []
  }

  /// Notes that a channel takes over from one that has failed.
  mutating func addFallback(_ channel: Channel, to notification: Int64) {
    changes.addFallback(channel, to: notification)
    standings?[notification]?.channels.insert(ChannelSet(channel))
  }

  /// Notes that the gates have stopped a delivery.
  ///
  /// - Returns: whether they have stopped its notification on every channel now.
  mutating func drop(_ delivery: Delivery, in transaction: any StoreWriter) throws -> Bool {
    changes.end(delivery)
    guard var standing = try standing(of: delivery.notification, in: transaction) else {
      return true
    }
    standing.dropped.insert(ChannelSet(delivery.channel))
    standings?[delivery.notification] = standing
    return standing.isDroppedEverywhere
  }

  private mutating func standing(
    of notification: Int64, in transaction: any StoreWriter
  ) throws -> DeliveryStanding? {
    let known = try standings ?? transaction.standings(of: Array(Set(candidates)))
    standings = known
    return known[notification]
  }
}
