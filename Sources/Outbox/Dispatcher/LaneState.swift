package import CivilTime
package import Reminders
package import Store

/// A lane, which is the queue of one sink, with its deliveries in flight and its state on disk.
package struct LaneState: Sendable {
  /// The number of each lane that a start has restored from the store and that has no sink yet.
  static let restored = -1

  /// Identifies the lane among all lanes since the start. Each lane has one sink, whose answers
  /// name this number.
  package let number: Int
  package internal(set) var lane: Lane
  /// Whether the sink needs the recipient's addresses or devices.
  package let needsAddressee: Bool
  /// The retries of the batch in flight, in its order; empty if the batch is from the lane's queue.
  package internal(set) var retries: [Retry] = []
  /// The batch in flight, without the stragglers of earlier batches, which are deliveries with a
  /// late answer. Empty if the lane is free.
  package internal(set) var batch: [Delivery] = []
  /// The instant at which the batch was dispatched.
  package internal(set) var dispatchedAt: Instant
  /// The number of the stragglers that belong to the batch in flight; nil before a partial answer.
  var batchStragglersNumber: Int?
  /// The stragglers of earlier batches, which the sink still works on, by their numbers (see
  /// `BatchPart`).
  package internal(set) var stragglers: [Int: Stragglers] = [:]
  /// The last notification that is recorded on disk as dispatched.
  package internal(set) var lastDispatched: Int64
  /// The lane's cursor on disk.
  package internal(set) var savedCursor: Int64
  /// The counts of the sink's answers.
  package internal(set) var answers = LaneCounters()
  /// The sink's last failure; nil if it has not failed.
  package internal(set) var lastFailure: SinkFailure?
  /// The instant at which the next retry is due; nil if there is none.
  package internal(set) var nextRetry: Instant?

  init(number: Int, lane: Lane, needsAddressee: Bool = false, now: Instant) {
    self.number = number
    self.lane = lane
    self.needsAddressee = needsAddressee
    lastDispatched = lane.cursor
    dispatchedAt = now
    savedCursor = lane.cursor
  }

  package var sink: String { lane.sink }

  /// Whether the batch in flight is from the lane's queue. Also true without a batch.
  var isQueueInFlight: Bool { retries.isEmpty }

  /// The number of deliveries of the queue that are in flight.
  var queueInFlightCount: Int { isQueueInFlight ? batch.count : 0 }

  /// Whether nothing is in flight.
  var hasNothingInFlight: Bool { batch.isEmpty && stragglers.isEmpty }

  /// The number of deliveries in flight.
  package var inFlightCount: Int {
    stragglers.values.reduce(batch.count) { $0 + $1.retries.count }
  }

  /// Returns whether deliveries for any of these recipients are in flight.
  func hasInFlight(for rows: Set<UInt32>) -> Bool {
    let isForRow = { (delivery: Delivery) in rows.contains(delivery.row) }
    return batch.contains(where: isForRow)
      || stragglers.values.contains { $0.retries.contains { isForRow($0.delivery) } }
  }

  /// Removes the batch in flight, or the stragglers of an earlier batch.
  mutating func release(_ stragglersNumber: Int? = nil) {
    if let stragglersNumber {
      stragglers[stragglersNumber] = nil
      return
    }
    batch = []
    retries = []
    batchStragglersNumber = nil
  }

  /// Removes the first deliveries of the batch in flight.
  mutating func releaseFirst(_ count: Int) {
    batch.removeFirst(count)
    retries.removeFirst(min(count, retries.count))
  }

  /// Sets the stragglers of a batch with this number.
  mutating func setStragglers(
    _ retries: [Retry], since dispatchedAt: Instant, by stragglersNumber: Int
  ) {
    stragglers[stragglersNumber] =
      retries.isEmpty ? nil : Stragglers(retries: retries, dispatchedAt: dispatchedAt)
  }
}

extension LaneState {
  /// Counts an outage, which is also the last failure.
  mutating func record(_ outage: SinkOutage, now: Instant) {
    answers.add(.outage)
    lastFailure = SinkFailure(at: now, reason: outage.description)
  }
}

/// The unanswered deliveries of an answered batch. They are recorded on disk as retries in flight,
/// so that the lane continues without them.
package struct Stragglers: Sendable {
  /// The deliveries as retries, in the order of the batch.
  package let retries: [Retry]
  /// The instant at which their batch was dispatched.
  package let dispatchedAt: Instant
}

/// The failure of a sink to accept a delivery.
package struct SinkFailure: Hashable, Sendable {
  package var at: Instant
  package var reason: String

  package init(at: Instant, reason: String) {
    (self.at, self.reason) = (at, reason)
  }
}
