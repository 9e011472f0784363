package import CivilTime
package import Reminders

/// The queue of one sink. It decides what to dispatch next, and the engine dispatches it.
///
/// At most one batch is in flight at a time. Meanwhile deliveries wait in a bounded queue.
/// Deliveries that do not fit stay in the store until the lane reaches them. So a slow sink uses
/// little memory and does not delay other sinks (rule D3).
package struct Lane: Sendable {
  /// The next action of the engine for a lane.
  package enum Action: Sendable {
    case none
    /// Dispatch these deliveries. If `isStale`, first evaluate the gates again, which decide
    /// whether a delivery may be sent.
    case dispatch([Delivery], isStale: Bool)
    /// Read the deliveries after this notification from the store, then call `supply`.
    case read(after: Int64)
    /// Dispatch at most `limit` of the due retries, and report their number with `dispatchRetries`.
    case retry(limit: Int)
  }

  /// The name of the sink.
  package let sink: String
  /// The channels whose first choice is this sink. The queue holds their deliveries.
  package let channels: ChannelSet
  /// The cursor: every notification up to this number is answered.
  package internal(set) var cursor: Int64

  /// The time after the gates' decision within which a delivery is dispatched without another
  /// evaluation. It is a minute, the precision of quiet hours.
  static let freshness = TimeSpan.minutes(1)

  /// The unanswered deliveries in memory, in the order of their notifications. If the batch in
  /// flight is from the queue, its deliveries are the first ones.
  var queue: [Delivery] = []
  /// The number of the last notification that the queue covers. Later notifications are only in the
  /// store.
  private(set) var lastCovered: Int64
  /// The number of the last notification in the store.
  private(set) var last: Int64
  /// An upper bound of the number of notifications that are only in the store. It may be a
  /// difference of two notifications' numbers, which includes notifications of other lanes.
  private var unread: Int
  /// Whether the lane waits for the answer to a batch of the queue or of retries.
  private(set) var hasBatchInFlight = false
  /// The gates are evaluated again for notifications up to this number; 0 for none.
  private(set) var staleThrough: Int64
  package private(set) var breaker: Breaker
  /// The limit of the sink's rate; nil if its rate is not limited.
  private(set) var bucket: TokenBucket?
  /// Whether retries were dispatched last, so that the queue is next.
  private(set) var isQueueNext = false
  /// Whether `channels` contains all channels, so that no delivery has to be examined.
  private let hasEveryChannel: Bool
  /// The length up to which `offer` fills `queue`. Only `supply` may exceed it.
  let capacity: Int
  /// The maximum number of deliveries in a batch.
  package let window: Int

  /// - Parameters:
  ///   - unread: the number of notifications after `cursor`, up to `last`; nil if it is the
  ///     difference of these two.
  ///   - staleThrough: the gates are evaluated again for notifications up to this number.
  ///   - capacity: the number of deliveries in memory up to which `offer` adds others.
  ///   - window: the maximum number of deliveries in a batch. An answer is processed in the engine
  ///     cycle after its arrival. So a window has to hold the notifications of two cycles to keep
  ///     the sink busy.
  ///   - rate: the maximum number of deliveries a second; nil for no limit.
  ///   - seed: seeds the random pauses after outages.
  package init(
    sink: String, channels: ChannelSet = .all, cursor: Int64, last: Int64, unread: Int? = nil,
    staleThrough: Int64 = 0, capacity: Int = 65_536, window: Int = 32_768, rate: Int? = nil,
    seed: UInt64 = 0, now: Instant = Instant(milliseconds: 0)
  ) {
    self.sink = sink
    self.channels = channels
    self.cursor = cursor
    self.last = last
    self.unread = unread ?? Int(last - cursor)
    self.staleThrough = staleThrough
    self.capacity = capacity
    self.window = max(1, window)
    breaker = Breaker(seed: seed)
    bucket = rate.map { TokenBucket(rate: $0, now: now) }
    lastCovered = cursor
    hasEveryChannel = Channel.allCases.allSatisfy { channels.contains(ChannelSet($0)) }
  }

  /// The number of consecutive outages; 0 while the sink works.
  package var outages: Int { breaker.outages }
  /// The sink's error during an outage; nil otherwise.
  package var failure: String? { breaker.failure }
  /// The start of the sink's outage; nil if there is no outage.
  package var failingSince: Instant? { breaker.since }

  /// The instant at which the lane tries again during an outage; nil if there is none.
  package var resumption: Instant? { breaker.resumption }

  /// The instant at which the gates passed the first unanswered delivery in memory; nil if there is
  /// none.
  package var oldest: Instant? { queue.first?.at }

  /// The number of unanswered deliveries in memory, plus the number of notifications that are only
  /// in the store.
  package var waiting: Int { queue.count + unread }

  /// Whether every notification is answered, in memory and in the store.
  package var isIdle: Bool { queue.isEmpty && lastCovered == last }

  /// Returns the deliveries that belong to this lane.
  package func deliveriesOfLane(among deliveries: [Delivery]) -> [Delivery] {
    if hasEveryChannel { return deliveries }
    return channels.isEmpty ? [] : deliveries.filter { channels.contains(ChannelSet($0.channel)) }
  }

  /// Adds deliveries that were just decided and recorded.
  ///
  /// - Parameters:
  ///   - deliveries: deliveries on the lane's channels.
  ///   - through: the last notification recorded, with or without deliveries.
  package mutating func offer(_ deliveries: [Delivery], through: Int64) {
    let isCaughtUp = lastCovered == last
    last = max(last, through)
    guard isCaughtUp, queue.count + deliveries.count <= capacity else {
      unread += Self.notifications(of: deliveries)
      return
    }
    queue += deliveries
    lastCovered = last
    if queue.isEmpty { cursor = lastCovered }
    shortenPause(for: deliveries[...])
  }

  /// Removes waiting deliveries for recipients that were erased, or that this node no longer owns.
  ///
  /// - Parameter count: the number of deliveries at the head of the queue that are in flight and
  ///   stay.
  package mutating func forget(_ rows: Set<UInt32>, butFirst count: Int) {
    let remaining = queue[count...].filter { !rows.contains($0.row) }
    queue.replaceSubrange(count..., with: remaining)
    if queue.isEmpty { cursor = lastCovered }
  }

  // MARK: - Dispatching

  /// Returns the next action and applies it. Queue and retries alternate, so that neither has to
  /// wait until the other is empty.
  ///
  /// - Parameter nextRetry: when the first retry is due; nil if there is none.
  package mutating func next(now: Instant, nextRetry: Instant? = nil) -> Action {
    guard !hasBatchInFlight, !breaker.isOpen(at: now) else { return .none }
    breaker.resume()
    if areRetriesNext(nextRetry, at: now) {
      let limit = allowance(.max, at: now)
      guard limit > 0 else { return .none }
      hasBatchInFlight = true
      return .retry(limit: limit)
    }
    guard !queue.isEmpty else { return lastCovered < last ? .read(after: lastCovered) : .none }
    let count = allowance(queue.count, at: now)
    guard count > 0 else { return .none }
    hasBatchInFlight = true
    isQueueNext = false
    let isStale = isStale(queue[0], now)
    let chunk = Array(queue[..<chunkEnd(count)])
    bucket?.consume(chunk.count, now: now)
    return .dispatch(chunk, isStale: isStale)
  }

  /// Returns whether the gates have to be evaluated for a chunk that begins with this delivery.
  func isStale(_ first: Delivery, _ now: Instant) -> Bool {
    first.notification <= staleThrough || first.at + Self.freshness < now
  }

  /// Returns whether retries are dispatched next, before the queue.
  private func areRetriesNext(_ nextRetry: Instant?, at now: Instant) -> Bool {
    guard let nextRetry, nextRetry <= now else { return false }
    return !isQueueNext || !hasWaitingDeliveries
  }

  /// Whether there are deliveries in the queue or only in the store.
  private var hasWaitingDeliveries: Bool { !queue.isEmpty || lastCovered < last }

  /// Returns the end of the next chunk in the queue. The chunk includes all channels of its last
  /// notification, because a cursor cannot point between them.
  func chunkEnd(_ count: Int) -> Int {
    var end = min(count, queue.count)
    while end < queue.count, queue[end].notification == queue[end - 1].notification { end += 1 }
    return end
  }

  /// Returns how many of `count` waiting deliveries may be dispatched now.
  func allowance(_ count: Int, at now: Instant) -> Int {
    let limit = min(count, dispatchMax)
    guard let bucket else { return limit }
    let available = bucket.available(at: now)
    return available >= min(limit, bucket.portion) ? min(limit, available) : 0
  }

  /// The maximum number of deliveries that may be dispatched at once.
  private var dispatchMax: Int { breaker.isHalfOpen ? min(breaker.trialMax, window) : window }

  /// Returns when the lane needs an engine cycle. Returns nil if the lane is idle, or if a batch is
  /// in flight, because its answer causes a cycle.
  package func wake(now: Instant, nextRetry: Instant?) -> Instant? {
    guard !hasBatchInFlight, let work = hasWaitingDeliveries ? now : nextRetry else { return nil }
    var wake = resumption.map { max($0, work) } ?? work
    guard let bucket else { return wake }
    // Reading from the store does not count towards the rate limit.
    let isQueueNext = hasWaitingDeliveries && !areRetriesNext(nextRetry, at: wake)
    let waitingCount = isQueueNext ? queue.count : Int.max
    let portion = min(waitingCount, dispatchMax, bucket.portion)
    wake = max(wake, bucket.ready(for: portion, now: now))
    return wake
  }

  /// Adds deliveries that were read from the store after `lastCovered`.
  ///
  /// - Parameters:
  ///   - deliveries: deliveries on the lane's channels.
  ///   - through: the last notification that was read; nil if the store has no more.
  package mutating func supply(_ deliveries: [Delivery], through: Int64?) {
    queue += deliveries
    lastCovered = through ?? last
    unread = max(0, unread - Self.notifications(of: deliveries))
    // The estimate was too high if it included notifications of other lanes.
    unread = min(unread, Int(last - lastCovered))
    if queue.isEmpty { cursor = lastCovered }
  }

  /// Returns the number of notifications in a sorted list of deliveries.
  private static func notifications(of deliveries: [Delivery]) -> Int {
    zip(deliveries, deliveries.dropFirst()).count { $0.notification != $1.notification }
      + (deliveries.isEmpty ? 0 : 1)
  }

  /// Removes the deliveries of a chunk that do not pass the gates; the caller records their
  /// outcomes. If none passes, nothing is in flight.
  ///
  /// - Parameters:
  ///   - passing: the deliveries that pass.
  ///   - count: the number of deliveries in the chunk.
  package mutating func retain(_ passing: [Delivery], of count: Int) {
    cursor = cursor(withoutFirst: count, keeping: passing)
    queue.replaceSubrange(..<count, with: passing)
    bucket?.refund(count - passing.count)
    if passing.isEmpty { hasBatchInFlight = false }
  }

  /// Returns the cursor to record once the first `count` deliveries of the queue are answered.
  ///
  /// - Parameter kept: deliveries among the first `count` that stay at the head of the queue.
  package func cursor(withoutFirst count: Int, keeping kept: [Delivery] = []) -> Int64 {
    let head = kept.first ?? (count < queue.count ? queue[count] : nil)
    return head.map { $0.notification - 1 } ?? lastCovered
  }

  /// Notes that `count` retries are in flight, while the queue waits. If `count` is 0, nothing is
  /// in flight.
  package mutating func dispatchRetries(_ count: Int, now: Instant) {
    bucket?.consume(count, now: now)
    isQueueNext = true
    hasBatchInFlight = count > 0
  }

  // MARK: - Answers

  /// Removes the first deliveries of the queue, which are answered.
  ///
  /// - Parameter isFree: whether the whole chunk is answered, so that the lane can dispatch again.
  package mutating func removeAnswered(count: Int, isFree: Bool = true) {
    hasBatchInFlight = !isFree
    // Answers to a part of a batch do not show that the service works. The sink may have given
    // these answers without contacting the service.
    if isFree { breaker.recover() }
    cursor = cursor(withoutFirst: count)
    queue.removeFirst(count)
  }

  /// Notes that the retries in flight are answered.
  package mutating func recordAnsweredRetries() {
    hasBatchInFlight = false
    breaker.recover()
  }

  /// Notes an outage: the batch stays at the head of the queue.
  package mutating func recordOutage(_ outage: SinkOutage, now: Instant) {
    hasBatchInFlight = false
    staleThrough = max(staleThrough, lastCovered)
    breaker.fail(outage, now: now)
    shortenPause(for: queue[...]) { $0 > now }
  }

  /// Shortens the breaker's pause if deliveries would expire during it: the pause ends in time for
  /// the first delivery's last attempt. If that attempt fails, the delivery moves to another sink,
  /// if there is one (rule D2).
  ///
  /// - Parameter isWanted: selects among the instants of last attempts.
  /// - Complexity: O(*n*) of the deliveries.
  private mutating func shortenPause(
    for deliveries: ArraySlice<Delivery>, _ isWanted: (Instant) -> Bool = { _ in true }
  ) {
    guard let resumption else { return }
    let limit = deliveries.lazy.filter { $0.expiry <= resumption }
      .map { RetrySchedule.lastAttempt(from: $0.at, before: $0.expiry) }.filter(isWanted).min()
    if let limit { breaker.shortenPause(to: limit) }
  }

  // MARK: - Another configuration

  /// Requires that the gates are evaluated again for every notification in the lane.
  mutating func recheckGates() { staleThrough = last }

  /// Returns a copy without the first `count` deliveries of the queue, which are in flight and
  /// become retries.
  package func detached(withoutFirst count: Int) -> Lane {
    var lane = self
    lane.cursor = cursor(withoutFirst: count)
    lane.queue.removeFirst(count)
    return lane
  }

  /// Returns a lane with the same queue for another sink of the same name, without an outage.
  package func renewed(for traits: SinkTraits, now: Instant) -> Lane {
    var lane = Lane(
      sink: sink, channels: channels, cursor: cursor, last: last, staleThrough: staleThrough,
      capacity: capacity, window: traits.window, rate: traits.rate, seed: traits.seed, now: now)
    (lane.queue, lane.lastCovered, lane.unread) = (queue, lastCovered, unread)
    return lane
  }

  /// Returns a lane for the same sink with other channels. It begins with the next notification.
  package func rerouted(to channels: ChannelSet) -> Lane {
    var lane = Lane(
      sink: sink, channels: channels, cursor: last, last: last, capacity: capacity, window: window,
      seed: breaker.seed)
    lane.breaker = breaker
    lane.bucket = bucket
    lane.hasBatchInFlight = hasBatchInFlight
    return lane
  }

  // MARK: - The clock

  /// Adjusts the instants of the breaker to a clock that was set back.
  package mutating func clockWasSetBack(to now: Instant) {
    breaker.clockWasSetBack(to: now)
  }
}
