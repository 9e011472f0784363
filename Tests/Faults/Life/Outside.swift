import CivilTime
import Outbox
import Reminders

/// What the world outside has seen of a service: what its receivers were handed, and what came of
/// it.
struct Outside {
  /// One delivery, whoever attempts it and however often.
  struct Place: Hashable {
    let notification: String
    let channel: Channel
  }

  /// One occurrence for one person by one channel: it is said once.
  struct Occurrence: Hashable {
    let row: UInt32
    let reminder: String
    let key: Int64
    let channel: Channel
  }

  struct Batch {
    let lane: Int
    /// The number by which it goes; nil for one that was not answered for in part.
    var rest: Int?
    let deliveries: [Reminders.Delivery]
  }

  /// What may come before its own time, because it would be too late then (rule V10).
  private static let bound: Set = ["visit-reminder"]

  /// What was delivered, as the receiver has it.
  private(set) var effects: [Place: Reminders.Delivery] = [:]
  private var notifications: [Occurrence: String] = [:]
  /// What waits for the sink's answer, in order.
  private(set) var batches: [Batch] = []
  /// What sinks go on with that have answered in part.
  private(set) var rests: [Batch] = []
  private var partCount = 0

  /// - Returns: what is wrong with a delivery that a receiver gets.
  mutating func receive(_ delivery: Reminders.Delivery, at now: Instant) -> String? {
    let place = Place(notification: delivery.identifier, channel: delivery.channel)
    let occurrence = Occurrence(
      row: delivery.row, reminder: delivery.reminder, key: delivery.key,
      channel: delivery.channel)
    defer {
      effects[place] = effects[place] ?? delivery
      notifications[occurrence] = delivery.identifier
    }
    if let other = notifications[occurrence], other != delivery.identifier,
      delivery.reminder != Digest.identifier
    {
      return "said twice, as \(other) and \(delivery.identifier): \(Line(delivery).text)"
    }
    if let before = effects[place], before.title != delivery.title || before.body != delivery.body {
      return "another text under the same id \(delivery.identifier): \(delivery.title)"
    }
    let forward: TimeSpan = Self.bound.contains(delivery.reminder) ? .hours(24) : .zero
    guard delivery.planned - forward <= delivery.at, delivery.at <= now else {
      return "too early: \(Line(delivery).text)"
    }
    return nil
  }

  mutating func keep(_ batch: Batch) { batches.append(batch) }

  /// A batch was answered for in part.
  mutating func keep(_ rest: [Reminders.Delivery], of batch: Batch) -> Int {
    partCount += 1
    rests.append(Batch(lane: batch.lane, rest: partCount, deliveries: rest))
    return partCount
  }

  mutating func takeRests() -> [Batch] {
    defer { rests = [] }
    return rests
  }

  mutating func takeBatches() -> [Batch] {
    defer { batches = [] }
    return batches
  }

  /// The process that waited for answers is gone.
  mutating func forgetBatches() {
    batches = []
    rests = []
  }
}
