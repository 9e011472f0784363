import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store

/// A dispatcher whose every unit of work succeeds, and the clock that it is told.
struct DispatcherStage {
  var outbox: Dispatcher
  var now = Fixtures.noon
  /// The last notification there is.
  var last: Int64 = 0
  /// What is known of deliveries that no other sink carries.
  var reaches: [Int64: NotificationReach] = [:]
  var fallbacks: [DeliveryChanges.Key: [Channel]] = [:]
  /// Notifications whose recipients were erased.
  var erased: Set<Int64> = []
  /// The lanes that were to be closed.
  private(set) var closed: [Int] = []

  /// The lanes of the start before; of the very first start there are none.
  init(restoring stored: [String: StoredLane] = [:], last: Int64 = 0) {
    outbox = Dispatcher(restoring: stored, last: last, now: now) { Int(last - $0) }
    self.last = last
  }

  /// A service that has started with some sinks, by the names of which lanes are numbered.
  init(_ sinks: [String], _ routes: [Channel: [String]], window: Int = 9) {
    self.init()
    adopt(sinks, routes, window: window)
  }

  @discardableResult
  mutating func adopt(
    _ sinks: [String], _ routes: [Channel: [String]], keeping kept: Set<String> = [],
    window: Int = 9
  ) -> Succession {
    let traits = sinks.map { SinkTraits(name: $0, window: window) }
    let configuration = OutboxConfiguration(sinks: traits, routes: Routes(routes), kept: kept)
    let recorded = Set(outbox.detached(by: configuration)).subtracting(erased)
    let succession = outbox.succession(
      to: configuration, recorded: recorded, last: last, now: now)
    closed += outbox.take(succession)
    return succession
  }

  /// Records notifications on some channels, and offers them to the lanes.
  @discardableResult
  mutating func record(_ count: Int = 1, on channels: [Channel] = [.push]) -> [Dispatcher.Offer] {
    let numbers = last + 1...last + Int64(count)
    let deliveries = numbers.flatMap { number in
      channels.map { Fixtures.delivery(number, $0, at: now) }
    }
    last += Int64(count)
    let offers = outbox.offers(
      of: deliveries, answered: [:], nextRetries: [:], isHandingOver: true, paused: outbox.paused,
      now: now)
    outbox.take(offers, through: last)
    return offers
  }

  /// What a lane's sink is handed of its queue now, in words: "1 push, 2 push".
  mutating func hand(_ lane: Int) -> String {
    guard case .hand(let chunk, false) = outbox.next(lane, now: now) else { return "" }
    let progress = outbox.progress(handing: chunk, of: chunk.count, lane: lane)
    outbox.prepared(chunk, of: chunk.count, isStale: false, lane: lane)
    outbox.hand(chunk, toLane: lane, now: now)
    let isOnRecord = progress == nil || progress?.handed == chunk.last?.notification
    return chunk.map(\.words).joined(separator: ", ") + (isOnRecord ? "" : " unrecorded")
  }

  /// Hands a lane's sink a retry.
  mutating func hand(_ retry: Retry, to lane: Int) {
    outbox.prepared([retry], lane: lane, now: now)
    outbox.hand([retry.delivery], retries: [retry], toLane: lane, now: now)
  }

  /// What is to be written of a sink's answers; that is on disk then.
  ///
  /// - Parameter answers: with nil for what the sink goes on with.
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
    var known = DeliveryKnowledge(recorded: recorded)
    for delivery in outbox.exhausted(by: batch, among: recorded, now: now) {
      known.reaches[delivery.notification] = reaches[delivery.notification]
      let key = DeliveryChanges.Key(delivery)
      known.fallbacks[key] = fallbacks[key]
    }
    return outbox.settle(batch, knowing: known, now: now)
  }

  /// What is to be written of an outage; that is on disk then.
  ///
  /// - Parameter retries: those that the lane has and that are due.
  mutating func fail(_ lane: Int, retries: [Retry] = []) -> OutboxEffects {
    let outage = SinkOutage("gone")
    var effects = outbox.takeBack(from: lane).effects
    var count = 0
    if outbox.hasAlternative(to: lane),
      let late = outbox.late(behind: lane, retries: retries, now: now)
    {
      let known = DeliveryKnowledge(recorded: Set(late.notifications).subtracting(erased))
      let more = outbox.handOn(late, outage, knowing: known, now: now)
      effects.progress += more.progress
      for waiting in more.changes.waiting {
        effects.changes.wait(waiting.retry, due: waiting.due, reason: waiting.reason)
      }
      count = late.countOfQueue
    }
    if let number = outbox.fail(lane, outage, handedOn: count, now: now) { closed.append(number) }
    return effects
  }
}

extension Delivery {
  var words: String { "\(notification) \(channel)" }
}

extension DeliveryNote {
  /// What is told of a delivery: "1 push of one is tried again".
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
  /// What waits: "1 push for two since 3 in 5 s", or "1 push dead at two".
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

/// Something was not there that a test goes on with.
struct Missing: Error {}
