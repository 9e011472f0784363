package import CivilTime
package import Reminders

/// What one sink has been handed and what is next: decided here, done by the engine.
///
/// At most one batch is with the sink at a time. What is decided meanwhile waits in a bounded
/// queue; beyond that the lane falls behind and reads from the store when it comes to it. So a slow
/// sink costs no memory and delays nobody (rule D3).
package struct Lane: Sendable {
  package enum Action: Sendable {
    case none
    /// Hand these to the sink. `isStale`: they have waited, so the gates are to be asked first.
    case hand([Delivery], isStale: Bool)
    /// Read what comes after this notification from the store, then `supply` it.
    case read(after: Int64)
  }

  package let sink: String
  /// Everything up to this notification has been answered.
  package private(set) var place: Int64
  package private(set) var outages = 0
  /// What the sink said when it failed, while it fails.
  package private(set) var failure: String?
  /// When a lane that waits out an outage tries again.
  package private(set) var resumption: Instant?

  /// How long after its decision a delivery may be handed over without asking the gates again:
  /// quiet hours and the like are kept to the minute.
  private static let freshness = TimeSpan.minutes(1)

  private var queue: [Delivery] = []
  /// The last notification that the queue covers; what follows is in the store only.
  private var covered: Int64
  /// The last notification there is.
  private var last: Int64
  private var isWithSink = false
  private var isStale = false
  private let capacity: Int
  private let batch: Int

  /// - Parameters:
  ///   - capacity: how many deliveries wait in memory.
  ///   - batch: how many are handed over at once. An answer is taken in with the turn after the one
  ///     in which it comes, so a batch has to hold what two turns decide, or the sink would wait
  ///     with the next already there.
  package init(
    sink: String, place: Int64, last: Int64, capacity: Int = 65_536, batch: Int = 32_768
  ) {
    self.sink = sink
    self.place = place
    self.last = last
    self.capacity = capacity
    self.batch = batch
    covered = place
  }

  /// Whether there is something to hand over or to read that the sink is not at.
  package var hasWork: Bool { !isWithSink && (!queue.isEmpty || covered < last) }

  /// When the first delivery that waits in memory was decided.
  package var oldest: Instant? { queue.first?.at }

  /// How many notifications are decided and not answered.
  package var waiting: Int { Int(last - place) }

  /// Takes what has just been decided and recorded.
  ///
  /// - Parameter through: the last notification recorded, delivered or not.
  package mutating func offer(_ deliveries: [Delivery], through: Int64) {
    let isCaughtUp = covered == last
    last = max(last, through)
    guard isCaughtUp, queue.count + deliveries.count <= capacity else { return }
    queue += deliveries
    covered = last
    if queue.isEmpty { place = covered }
  }

  /// Takes out of the queue what is for a recipient who was erased.
  ///
  /// - Parameter count: how many of the first are with the sink, which stay.
  package mutating func forget(_ row: UInt32, butFirst count: Int) {
    let rest = queue[count...].filter { $0.row != row }
    queue.replaceSubrange(count..., with: rest)
    if queue.isEmpty { place = covered }
  }

  /// What to do now.
  package mutating func next(now: Instant) -> Action {
    guard !isWithSink else { return .none }
    if let resumption, now < resumption { return .none }
    resumption = nil
    if queue.isEmpty { return covered < last ? .read(after: covered) : .none }
    isWithSink = true
    let isOld = queue[0].at + Self.freshness < now
    return .hand(Array(queue[..<chunkEnd]), isStale: isStale || isOld)
  }

  /// The end of the next chunk, which takes in all channels of its last notification: a place
  /// between them there is not.
  private var chunkEnd: Int {
    var end = min(batch, queue.count)
    while end < queue.count, queue[end].notification == queue[end - 1].notification { end += 1 }
    return end
  }

  /// Takes what was read from the store after `covered`.
  ///
  /// - Parameter through: the last notification that was looked at; nil if there was none.
  package mutating func supply(_ deliveries: [Delivery], through: Int64?) {
    queue += deliveries
    covered = through ?? last
    if queue.isEmpty { place = covered }
  }

  /// Of the chunk that was to be handed over, the gates let only these through; the others are
  /// recorded elsewhere. If none are left, the sink has nothing.
  package mutating func keep(_ passing: [Delivery], of count: Int) {
    place = place(withoutFirst: count, but: passing)
    queue.replaceSubrange(..<count, with: passing)
    if passing.isEmpty { isWithSink = false }
    if queue.isEmpty { isStale = false }
  }

  /// The sink has answered for a whole batch.
  package mutating func answered(count: Int) {
    isWithSink = false
    outages = 0
    failure = nil
    place = place(withoutFirst: count)
    queue.removeFirst(count)
    if queue.isEmpty { isStale = false }
  }

  /// Up to where everything will have been answered without the first of the queue, to be recorded.
  ///
  /// - Parameter kept: which of the first stay at the head of the queue.
  package func place(withoutFirst count: Int, but kept: [Delivery] = []) -> Int64 {
    let head = kept.first ?? (count < queue.count ? queue[count] : nil)
    return head.map { $0.notification - 1 } ?? covered
  }

  /// Retries are with the sink: the queue waits.
  package mutating func beginRetries() {
    isWithSink = true
  }

  package mutating func endRetries() {
    isWithSink = false
    outages = 0
    failure = nil
  }

  /// The clock was set back: the pause begins anew, for it was measured by another clock.
  package mutating func clockWasSetBack(to now: Instant) {
    guard resumption != nil else { return }
    resumption = now + RetrySchedule.pause(afterOutages: outages)
  }

  /// The sink could not take the batch: it stays at the head of the queue.
  package mutating func failed(_ outage: SinkOutage, now: Instant) {
    isWithSink = false
    outages += 1
    failure = outage.description
    isStale = true
    resumption = now + RetrySchedule.pause(afterOutages: outages)
  }
}
