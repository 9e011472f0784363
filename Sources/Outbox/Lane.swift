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
    /// Hand at most so many of the retries that are due to the sink, and say by `handRetries` how
    /// many there were.
    case retry(limit: Int)
  }

  package let sink: String
  /// The channels of which the sink is the first choice: what the queue is made of.
  package let channels: ChannelSet
  /// Everything up to this notification has been answered.
  package internal(set) var place: Int64

  /// How long after its decision a delivery may be handed over without asking the gates again:
  /// quiet hours and the like are kept to the minute.
  static let freshness = TimeSpan.minutes(1)

  var queue: [Delivery] = []
  /// The last notification that the queue covers; what follows is in the store only.
  private(set) var covered: Int64
  /// The last notification there is.
  private(set) var last: Int64
  /// How many notifications are in the store only, as far as is known: a difference of numbers
  /// counts those that were given to nothing.
  private var unread: Int
  private(set) var isWithSink = false
  /// The last notification of those that have waited for so long, or in such a way, that the gates
  /// have to be asked about them; 0 if there is none.
  private(set) var staleThrough: Int64
  package private(set) var breaker: Breaker
  private(set) var bucket: TokenBucket?
  /// Whether what was handed over last were retries: then it is the queue's turn.
  private(set) var isQueueNext = false
  private let hasEveryChannel: Bool
  let capacity: Int
  package let window: Int

  /// - Parameters:
  ///   - unread: how many notifications there are from `place` to `last`; as many as numbers if
  ///     nil.
  ///   - staleThrough: up to which notification the gates have to be asked first.
  ///   - capacity: how many deliveries wait in memory.
  ///   - window: how many are handed over at once. An answer is taken in with the turn after the
  ///     one in which it comes, so a window has to hold what two turns decide, or the sink would
  ///     wait with the next already there.
  ///   - rate: how many are handed over a second at most; nil for as many as the sink takes.
  ///   - seed: what the pauses after outages are drawn from.
  package init(
    sink: String, channels: ChannelSet = .all, place: Int64, last: Int64, unread: Int? = nil,
    staleThrough: Int64 = 0, capacity: Int = 65_536, window: Int = 32_768, rate: Int? = nil,
    seed: UInt64 = 0, now: Instant = Instant(milliseconds: 0)
  ) {
    self.sink = sink
    self.channels = channels
    self.place = place
    self.last = last
    self.unread = unread ?? Int(last - place)
    self.staleThrough = staleThrough
    self.capacity = capacity
    self.window = max(1, window)
    breaker = Breaker(seed: seed)
    bucket = rate.map { TokenBucket(rate: $0, now: now) }
    covered = place
    hasEveryChannel = Channel.allCases.allSatisfy { channels.contains(ChannelSet($0)) }
  }

  package var outages: Int { breaker.outages }
  /// What the sink said when it failed, while it fails.
  package var failure: String? { breaker.failure }
  /// Since when the sink has failed, while it fails.
  package var failingSince: Instant? { breaker.since }

  /// When a lane that waits out an outage tries again.
  package var resumption: Instant? { breaker.resumption }

  /// When the first delivery that waits in memory was decided.
  package var oldest: Instant? { queue.first?.at }

  /// How many are decided and not answered: deliveries of those in memory, and notifications of
  /// those in the store alone.
  package var waiting: Int { queue.count + unread }

  /// Whether everything there is has been answered.
  package var isIdle: Bool { queue.isEmpty && covered == last }

  /// Those of some deliveries that are for this lane.
  package func own(_ deliveries: [Delivery]) -> [Delivery] {
    if hasEveryChannel { return deliveries }
    return channels.isEmpty ? [] : deliveries.filter { channels.contains(ChannelSet($0.channel)) }
  }

  /// Takes what has just been decided and recorded.
  ///
  /// - Parameters:
  ///   - deliveries: of the lane's own channels.
  ///   - through: the last notification recorded, delivered or not.
  package mutating func offer(_ deliveries: [Delivery], through: Int64) {
    let isCaughtUp = covered == last
    last = max(last, through)
    guard isCaughtUp, queue.count + deliveries.count <= capacity else {
      unread += Self.notifications(of: deliveries)
      return
    }
    queue += deliveries
    covered = last
    if queue.isEmpty { place = covered }
  }

  /// Takes out of the queue what is for recipients who are not ours any more.
  ///
  /// - Parameter count: how many of the first are with the sink, which stay.
  package mutating func forget(_ rows: Set<UInt32>, butFirst count: Int) {
    let rest = queue[count...].filter { !rows.contains($0.row) }
    queue.replaceSubrange(count..., with: rest)
    if queue.isEmpty { place = covered }
  }

  // MARK: - Handing over

  /// What to do now. Queue and retries take turns, so that neither waits for the end of the other.
  ///
  /// - Parameter nextRetry: when the first of the retries is due.
  package mutating func next(now: Instant, nextRetry: Instant? = nil) -> Action {
    guard !isWithSink, !breaker.isOpen(at: now) else { return .none }
    breaker.resume()
    if isTurn(ofRetries: nextRetry, now) {
      let limit = allowance(.max, at: now)
      guard limit > 0 else { return .none }
      isWithSink = true
      return .retry(limit: limit)
    }
    guard !queue.isEmpty else { return covered < last ? .read(after: covered) : .none }
    let count = allowance(queue.count, at: now)
    guard count > 0 else { return .none }
    isWithSink = true
    isQueueNext = false
    let isStale = isStale(queue[0], now)
    let chunk = Array(queue[..<chunkEnd(count)])
    bucket?.take(chunk.count, now: now)
    return .hand(chunk, isStale: isStale)
  }

  /// Whether the gates have to be asked about what begins with a delivery.
  func isStale(_ first: Delivery, _ now: Instant) -> Bool {
    first.notification <= staleThrough || first.at + Self.freshness < now
  }

  private func isTurn(ofRetries next: Instant?, _ now: Instant) -> Bool {
    guard let next, next <= now else { return false }
    return !isQueueNext || !hasQueue
  }

  /// Whether there is something beside retries.
  private var hasQueue: Bool { !queue.isEmpty || covered < last }

  /// The end of the next chunk, which takes in all channels of its last notification: a place
  /// between them there is not.
  func chunkEnd(_ count: Int) -> Int {
    var end = min(count, queue.count)
    while end < queue.count, queue[end].notification == queue[end - 1].notification { end += 1 }
    return end
  }

  /// How many of those that wait may be handed over now.
  func allowance(_ count: Int, at now: Instant) -> Int {
    let wanted = min(count, most)
    guard let bucket else { return wanted }
    let available = bucket.available(at: now)
    return available >= min(wanted, bucket.portion) ? min(wanted, available) : 0
  }

  /// How many may be handed over at once.
  private var most: Int { breaker.isHalfOpen ? min(breaker.trialMax, window) : window }

  /// When the lane needs a turn; nil while it is with its sink, for the answer brings one, and
  /// while there is nothing to do.
  package func wake(now: Instant, nextRetry: Instant?) -> Instant? {
    guard !isWithSink, let work = hasQueue ? now : nextRetry else { return nil }
    var wake = resumption.map { max($0, work) } ?? work
    guard let bucket else { return wake }
    // To read is not to hand over.
    let wanted = hasQueue && !isTurn(ofRetries: nextRetry, wake) ? queue.count : Int.max
    let portion = min(wanted, most, bucket.portion)
    wake = max(wake, bucket.ready(for: portion, now: now))
    return wake
  }

  /// Takes what was read from the store after `covered`.
  ///
  /// - Parameters:
  ///   - deliveries: of the lane's own channels.
  ///   - through: the last notification that was looked at; nil if there was none.
  package mutating func supply(_ deliveries: [Delivery], through: Int64?) {
    queue += deliveries
    covered = through ?? last
    unread = max(0, unread - Self.notifications(of: deliveries))
    // There may be less than was thought: those of other lanes count until they are come past.
    unread = min(unread, Int(last - covered))
    if queue.isEmpty { place = covered }
  }

  /// How many notifications some deliveries, in order, are of.
  private static func notifications(of deliveries: [Delivery]) -> Int {
    zip(deliveries, deliveries.dropFirst()).count { $0.notification != $1.notification }
      + (deliveries.isEmpty ? 0 : 1)
  }

  /// Of the chunk that was to be handed over, the gates let only these through; the others are
  /// recorded elsewhere. If none are left, the sink has nothing.
  package mutating func keep(_ passing: [Delivery], of count: Int) {
    place = place(withoutFirst: count, but: passing)
    queue.replaceSubrange(..<count, with: passing)
    bucket?.putBack(count - passing.count)
    if passing.isEmpty { isWithSink = false }
  }

  /// Up to where everything will have been answered without the first of the queue, to be recorded.
  ///
  /// - Parameter kept: which of the first stay at the head of the queue.
  package func place(withoutFirst count: Int, but kept: [Delivery] = []) -> Int64 {
    let head = kept.first ?? (count < queue.count ? queue[count] : nil)
    return head.map { $0.notification - 1 } ?? covered
  }

  /// So many retries are with the sink now; the queue waits.
  package mutating func handRetries(_ count: Int, now: Instant) {
    bucket?.take(count, now: now)
    isQueueNext = true
    isWithSink = count > 0
  }

  // MARK: - Answers

  /// The sink has answered for the first of a chunk of the queue.
  ///
  /// - Parameter isFree: whether that is all of the chunk.
  package mutating func answered(count: Int, isFree: Bool = true) {
    isWithSink = !isFree
    breaker.recover()
    place = place(withoutFirst: count)
    queue.removeFirst(count)
  }

  /// The sink has answered for the retries that it had.
  package mutating func retriesAnswered() {
    isWithSink = false
    breaker.recover()
  }

  /// The sink could not take what it was handed: it stays where it was.
  package mutating func failed(_ outage: SinkOutage, now: Instant) {
    isWithSink = false
    staleThrough = max(staleThrough, covered)
    breaker.fail(outage, now: now)
    if let limit = nextLastAttempt(after: now) { breaker.shortenPause(to: limit) }
  }

  /// When the first queued delivery that would expire during the breaker's pause becomes overdue:
  /// the sink is tried then, so that the delivery moves on before it expires. Nil if none would.
  ///
  /// - Complexity: O(*n*) of the queue.
  private func nextLastAttempt(after now: Instant) -> Instant? {
    guard let resumption else { return nil }
    return queue.lazy.filter { $0.expiry <= resumption }
      .map { RetrySchedule.lastAttempt(from: $0.at, before: $0.expiry) }
      .filter { $0 > now }.min()
  }

  // MARK: - Another configuration

  /// The gates have to be asked about everything that there is.
  mutating func askGates() { staleThrough = last }

  /// Without the first of the queue, which are with the sink and are answered as retries are.
  package func detached(from count: Int) -> Lane {
    var lane = self
    lane.place = place(withoutFirst: count)
    lane.queue.removeFirst(count)
    return lane
  }

  /// For another sink of the same name, with nothing held against it: what waits goes on.
  package func renewed(for other: SinkTraits, now: Instant) -> Lane {
    var lane = Lane(
      sink: sink, channels: channels, place: place, last: last, staleThrough: staleThrough,
      capacity: capacity, window: other.window, rate: other.rate, seed: other.seed, now: now)
    (lane.queue, lane.covered, lane.unread) = (queue, covered, unread)
    return lane
  }

  /// For the same sink with other channels: begins with what comes from now on.
  package func rerouted(to channels: ChannelSet) -> Lane {
    var lane = Lane(
      sink: sink, channels: channels, place: last, last: last, capacity: capacity, window: window,
      seed: breaker.seed)
    lane.breaker = breaker
    lane.bucket = bucket
    lane.isWithSink = isWithSink
    return lane
  }

  // MARK: - The clock

  /// The clock was set back.
  package mutating func clockWasSetBack(to now: Instant) {
    breaker.clockWasSetBack(to: now)
  }
}
