import CivilTime
import Outbox
import Reminders

/// The receivers of a service's deliveries: what they have received, and the batches that they have
/// not answered.
struct Outside {
  /// One delivery, with all its attempts.
  struct Destination: Hashable {
    let notification: String
    let channel: Channel
  }

  /// One occurrence on one channel, which is delivered once.
  struct Occurrence: Hashable {
    let row: UInt32
    let reminder: String
    let key: Int64
    let channel: Channel
  }

  /// Deliveries that a lane has dispatched together, and that get one answer.
  struct Batch {
    let lane: Int
    /// The number of the rest of a partly answered batch; nil for a whole batch.
    var restNumber: Int?
    let deliveries: [Reminders.Delivery]
  }

  /// Reminders that may be sent before their planned instant, because a later delivery would be too
  /// late (rule V10).
  private static let earlyReminders: Set = ["visit-reminder"]

  /// The received deliveries.
  private(set) var effects: [Destination: Reminders.Delivery] = [:]
  /// The id of the notification that was received for each occurrence.
  private var notifications: [Occurrence: String] = [:]
  /// Batches without an answer, in order.
  private(set) var batches: [Batch] = []
  /// The unanswered rests of partly answered batches.
  private(set) var rests: [Batch] = []
  /// The number of rests so far.
  private var restCount = 0

  /// Records that a receiver has received a delivery.
  ///
  /// - Returns: the finding about the delivery; nil if there is none.
  mutating func receive(_ delivery: Reminders.Delivery, at now: Instant) -> String? {
    let destination = Destination(notification: delivery.identifier, channel: delivery.channel)
    let occurrence = Occurrence(
      row: delivery.row, reminder: delivery.reminder, key: delivery.key,
      channel: delivery.channel)
    defer {
      effects[destination] = effects[destination] ?? delivery
      notifications[occurrence] = delivery.identifier
    }
    if let other = notifications[occurrence], other != delivery.identifier,
      delivery.reminder != Digest.identifier
    {
      return "delivered twice, as \(other) and \(delivery.identifier): \(Line(delivery).text)"
    }
    if let previous = effects[destination],
      previous.title != delivery.title || previous.body != delivery.body
    {
      return "another text under the same id \(delivery.identifier): \(delivery.title)"
    }
    let leadMax: TimeSpan = Self.earlyReminders.contains(delivery.reminder) ? .hours(24) : .zero
    guard delivery.planned - leadMax <= delivery.at, delivery.at <= now else {
      return "too early: \(Line(delivery).text)"
    }
    return nil
  }

  /// Adds a batch that waits for an answer.
  mutating func keep(_ batch: Batch) { batches.append(batch) }

  /// Keeps the rest of a partly answered batch.
  ///
  /// - Returns: the number of the rest.
  mutating func keep(_ rest: [Reminders.Delivery], of batch: Batch) -> Int {
    restCount += 1
    rests.append(Batch(lane: batch.lane, restNumber: restCount, deliveries: rest))
    return restCount
  }

  /// Removes all rests and returns them, to be answered.
  mutating func takeRests() -> [Batch] {
    defer { rests = [] }
    return rests
  }

  /// Removes all batches and returns them, to be answered.
  mutating func takeBatches() -> [Batch] {
    defer { batches = [] }
    return batches
  }

  /// Forgets the batches of a process that is gone.
  mutating func forgetBatches() {
    batches = []
    rests = []
  }
}
