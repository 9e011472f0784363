import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store

/// A dispatcher and a clock. All units of work succeed.
struct DispatcherStage {
  var outbox: Dispatcher
  var now = Fixtures.noon
  /// The number of the last notification.
  var last: Int64 = 0
  /// The progress of notifications on channels of other sinks, by notification number.
  var reaches: [Int64: NotificationReach] = [:]
  var fallbacks: [DeliveryChanges.Key: [Channel]] = [:]
  /// Notifications of erased recipients.
  var erased: Set<Int64> = []
  /// The lanes that the dispatcher closed.
  private(set) var closed: [Int] = []

  /// - Parameter stored: the lanes of the previous start; empty for the first start.
  init(restoring stored: [String: StoredLane] = [:], last: Int64 = 0) {
    outbox = Dispatcher(restoring: stored, last: last, now: now) { Int(last - $0) }
    self.last = last
  }

  /// Creates a stage that has started with some sinks. Lanes are numbered in the order of their
  /// sinks' names.
  init(_ sinks: [String], _ routes: [Channel: [String]], window: Int = 9) {
    self.init()
    adopt(sinks, routes, window: window)
  }

  @discardableResult
  mutating func adopt(
    _ sinks: [String], _ routes: [Channel: [String]], keeping unchanged: Set<String> = [],
    window: Int = 9
  ) -> Succession {
    let traits = sinks.map { SinkTraits(name: $0, window: window) }
    let configuration = OutboxConfiguration(
      sinks: traits, routes: Routes(routes), unchanged: unchanged)
    let recorded = Set(outbox.detachedNotifications(by: configuration)).subtracting(erased)
    let succession = outbox.succession(
      to: configuration, recorded: recorded, last: last, now: now)
    closed += outbox.adopt(succession)
    return succession
  }

  /// Records notifications on some channels and offers them to the lanes.
  @discardableResult
  mutating func record(_ count: Int = 1, on channels: [Channel] = [.push]) -> [Dispatcher.Offer] {
    let numbers = last + 1...last + Int64(count)
    let deliveries = numbers.flatMap { number in
      channels.map { Fixtures.delivery(number, $0, at: now) }
    }
    last += Int64(count)
    let offers = outbox.offers(
      of: deliveries, answered: [:], nextRetries: [:], isDispatching: true, paused: outbox.paused,
      now: now)
    outbox.apply(offers, through: last)
    return offers
  }

  /// Dispatches the next batch of a lane's queue and returns it in words: "1 push, 2 push". The
  /// words end with "unrecorded" if the store does not record the batch as dispatched.
  mutating func dispatch(_ lane: Int) -> String {
    guard case .dispatch(let chunk, false) = outbox.next(lane, now: now) else { return "" }
    let progress = outbox.progress(dispatching: chunk, of: chunk.count, lane: lane)
    outbox.confirmPreparation(chunk, of: chunk.count, isStale: false, lane: lane)
    outbox.dispatch(chunk, toLane: lane, now: now)
    let isOnRecord = progress == nil || progress?.lastDispatched == chunk.last?.notification
    return chunk.map(\.words).joined(separator: ", ") + (isOnRecord ? "" : " unrecorded")
  }

  /// Dispatches a retry to a lane's sink.
  mutating func dispatch(_ retry: Retry, to lane: Int) { dispatch([retry], to: lane) }

  mutating func dispatch(_ retries: [Retry], to lane: Int) {
    outbox.beginRetries(retries, lane: lane, now: now)
    outbox.dispatch(retries.map(\.delivery), retries: retries, toLane: lane, now: now)
  }

  /// Applies a sink's answers and returns the effects to write. The write succeeds.
  ///
  /// - Parameter answers: nil for each delivery that the sink still works on.
  mutating func answer(
    _ lane: Int, _ answers: [SinkAnswer?], to part: BatchPart = .all
  ) throws(Missing) -> OutboxEffects {
    guard case .answers(let batch)? = outbox.reply(.success(answers), of: lane, to: part) else {
      throw Missing()
    }
    let effects = effects(of: batch)
    if let number = outbox.conclude(batch, now: now) { closed.append(number) }
    return effects
  }

  func effects(of batch: AnsweredBatch) -> OutboxEffects {
    let recorded = Set(batch.notifications).subtracting(erased)
    var knowledge = DeliveryKnowledge(recorded: recorded)
    for delivery in outbox.exhaustedDeliveries(by: batch, among: recorded, now: now) {
      knowledge.reaches[delivery.notification] = reaches[delivery.notification]
      let key = DeliveryChanges.Key(delivery)
      knowledge.fallbacks[key] = fallbacks[key]
    }
    return outbox.settle(batch, knowing: knowledge, now: now)
  }

  /// Applies an outage and returns the effects to write. The write succeeds.
  ///
  /// - Parameter retries: the lane's due retries.
  mutating func fail(_ lane: Int, retries: [Retry] = []) -> OutboxEffects {
    let outage = SinkOutage("gone")
    var effects = outbox.requeue(from: lane).effects
    var count = 0
    if outbox.hasAlternative(to: lane),
      let late = outbox.lateDeliveries(behind: lane, retries: retries, now: now)
    {
      let knowledge = DeliveryKnowledge(recorded: Set(late.notifications).subtracting(erased))
      let redirection = outbox.redirect(late, outage, knowing: knowledge, now: now)
      effects.progress += redirection.progress
      for waiting in redirection.changes.waiting {
        effects.changes.wait(waiting.retry, due: waiting.due, reason: waiting.reason)
      }
      count = late.leavingCount
    }
    if let number = outbox.fail(lane, outage, redirected: count, now: now) { closed.append(number) }
    return effects
  }
}

extension Delivery {
  var words: String { "\(notification) \(channel)" }
}

extension DeliveryNote {
  /// The note in words: "1 push of one is tried again".
  var words: String {
    switch self {
    case .retried(let retry, _, _): "\(retry.words) is tried again"
    case .movedOn(let retry, let next, _):
      "\(retry.words) goes on to \(next.sink) on \(next.delivery.channel)"
    case .dead(let retry, _): "\(retry.words) is dead"
    default: "\(self)"
    }
  }
}

extension Retry {
  fileprivate var words: String { "\(delivery.words) of \(sink)" }
}

extension DeliveryChanges {
  /// Returns the waiting retries in words: "1 push for two after 3 in 5 s", or "1 push dead at
  /// two".
  func waiting(since now: Instant) -> [String] {
    waiting.map { entry in
      let (delivery, sink) = (entry.retry.delivery.words, entry.retry.sink)
      guard let due = entry.due else { return "\(delivery) dead at \(sink)" }
      return "\(delivery) for \(sink) after \(entry.retry.attempts) in \((due - now).seconds) s"
    }
  }
}

extension TimeSpan {
  fileprivate var seconds: Int64 { milliseconds / 1_000 }
}

/// Thrown if a value that a test needs is missing.
struct Missing: Error {}
