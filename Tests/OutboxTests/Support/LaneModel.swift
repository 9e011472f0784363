import CivilTime
import DeliverySamples
import Outbox
import Reminders
import TestSupport

/// A lane, a store and a sink that act at random, and a list of the lane's unanswered deliveries.
struct LaneModel {
  private(set) var recorded: [String] = []
  private(set) var dispatched: [String] = []
  private(set) var answered: [String] = []
  private(set) var stoppedByGates: [String] = []
  private(set) var reads = 0
  private(set) var faults: [String] = []

  private var lane: Lane
  private var store: [(notification: Int64, deliveries: [Delivery])] = []
  /// Deliveries that are recorded and neither answered nor stopped by the gates, in order.
  private var unanswered: [Delivery] = []
  private var inFlight: [Delivery] = []
  private var now = Fixtures.noon
  private var last: Int64 = 0
  private var random: SplitMix64
  private let outages: Int
  private let holds: Int
  private let retries: Int
  /// The number of retries in flight.
  private var retriesInFlight = 0
  /// The instant at which the next waiting retry is due; nil if none waits.
  private var nextRetry: Instant?
  private(set) var retried = 0

  /// - Parameters:
  /// - outages: the percentage of batches that meet an outage.
  /// - holds: the percentage of deliveries that the gates stop.
  /// - retries: the percentage of steps that have a due retry.
  /// - rate: the maximum number of deliveries per second.
  init(seed: UInt64, outages: Int, holds: Int = 0, retries: Int = 0, rate: Int? = nil) {
    random = SplitMix64(seed: seed)
    self.outages = outages
    self.holds = holds
    self.retries = retries
    lane = Lane(
      sink: "test", cursor: 0, last: 0, capacity: Int.random(in: 1...30, using: &random),
      window: Int.random(in: 1...8, using: &random),
      rate: rate, seed: seed, now: now)
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: record()
      case 1: runLane()
      default: answer()
      }
      check()
    }
    for _ in 0..<10_000 where !unanswered.isEmpty {
      runLane()
      answer()
      check()
    }
    for _ in 0..<20 {
      runLane()
      answer()
    }
    if lane.waiting != 0 { faults.append("\(lane.waiting) deliveries still wait at the end") }
  }

  private mutating func record() {
    var new: [Delivery] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      // A failed transaction may leave a number unused.
      last += Int64.random(in: 1...2, using: &random)
      let channels = Channel.allCases.prefix(Int.random(in: 0...2, using: &random))
      let deliveries = channels.map { Fixtures.delivery(last, $0, at: now) }
      store.append((last, deliveries))
      new += deliveries
    }
    recorded += new.map(Self.name)
    unanswered += new
    let forecast = lane.forecast(
      answered: nil, offered: new, nextRetry: nextRetry, now: now)
    lane.offer(new, through: last)
    check(forecast)
  }

  /// Checks that the announced batch is dispatched next. A batch dispatched without an evaluation
  /// of the gates must have been announced, except a probe after an outage.
  private mutating func check(_ forecast: Int64?) {
    var next = lane
    switch next.next(now: now, nextRetry: nextRetry) {
    case .dispatch(let chunk, isStale: false):
      let isProbe = lane.outages > 0
      if forecast != chunk.last?.notification, forecast != nil || !isProbe {
        faults.append("\(forecast ?? 0) was announced, not \(chunk.map(Self.name))")
      }
    default: if let forecast { faults.append("\(forecast) was announced and is not dispatched") }
    }
  }

  private mutating func runLane() {
    now += .milliseconds(Int.random(in: 0...70_000, using: &random))
    if Int.random(in: 0..<100, using: &random) < retries { nextRetry = nextRetry ?? now }
    while true {
      let batchLimit = batchLimit
      let wake = lane.wake(now: now, nextRetry: nextRetry)
      switch lane.next(now: now, nextRetry: nextRetry) {
      case .none:
        if let wake, wake <= now { faults.append("the lane wakes without work") }
        return
      case .retry(let limit):
        if limit < 1 || limit > batchLimit { faults.append("the limit is \(limit) retries") }
        retriesInFlight = Int.random(in: 0...limit, using: &random)
        retried += retriesInFlight
        nextRetry = nil
        lane.dispatchRetries(retriesInFlight, now: now)
        if retriesInFlight > 0 { return }
      case .read(let cursor): supply(after: cursor)
      case .dispatch(let chunk, let isStale):
        if !inFlight.isEmpty || retriesInFlight > 0 {
          faults.append("two batches are in flight")
        }
        check(size: chunk, batchLimit: batchLimit)
        let passing = isStale ? passing(chunk) : chunk
        guard !passing.isEmpty else { continue }
        deliver(passing)
        return
      }
    }
  }

  /// The maximum number of deliveries in a batch. Without an outage it is the window. After one or
  /// two outages in a row, one delivery probes the sink. Each further outage raises the limit by
  /// one, up to 8 or the window, whichever is smaller.
  private var batchLimit: Int {
    lane.outages == 0 ? lane.window : min(lane.window, 8, max(1, lane.outages - 1))
  }

  /// A batch exceeds the limit only by further channels of its last notification.
  private mutating func check(size chunk: [Delivery], batchLimit: Int) {
    let others = chunk.filter { $0.notification != chunk.last?.notification }
    if others.count >= batchLimit {
      faults.append("a batch has \(chunk.count) deliveries with a window of \(lane.window)")
    }
  }

  private mutating func supply(after cursor: Int64) {
    reads += 1
    let rows = store.filter { $0.notification > cursor }
      .prefix(Int.random(in: 1...5, using: &random))
    lane.supply(rows.flatMap(\.deliveries), through: rows.last?.notification)
  }

  private mutating func passing(_ chunk: [Delivery]) -> [Delivery] {
    let passing = chunk.filter { _ in Int.random(in: 0..<100, using: &random) >= holds }
    let stopped = chunk.filter { !passing.contains($0) }
    stoppedByGates += stopped.map(Self.name)
    unanswered.removeAll { stopped.contains($0) }
    let cursor = lane.cursor(withoutFirst: chunk.count, keeping: passing)
    lane.retain(passing, of: chunk.count)
    if lane.cursor != cursor { faults.append("the cursor is \(lane.cursor), not \(cursor)") }
    return passing
  }

  private mutating func deliver(_ batch: [Delivery]) {
    if Array(unanswered.prefix(batch.count)) != batch {
      faults.append("dispatched \(batch.map(Self.name)), not \(unanswered.prefix(batch.count))")
    }
    dispatched += batch.map(Self.name)
    inFlight = batch
  }

  private mutating func answer() {
    if retriesInFlight > 0 { return answerRetries() }
    guard !inFlight.isEmpty else { return }
    if Int.random(in: 0..<100, using: &random) < outages {
      lane.recordOutage(SinkOutage("gone"), now: now)
    } else {
      answered += inFlight.map(Self.name)
      unanswered.removeFirst(inFlight.count)
      let forecast = lane.forecast(
        answered: inFlight.count, offered: [], nextRetry: nextRetry, now: now)
      lane.removeAnswered(count: inFlight.count)
      check(forecast)
    }
    inFlight = []
  }

  private mutating func answerRetries() {
    if Int.random(in: 0..<100, using: &random) < outages {
      lane.recordOutage(SinkOutage("gone"), now: now)
    } else {
      lane.recordAnsweredRetries()
    }
    retriesInFlight = 0
  }

  /// Checks that the cursor has passed no unanswered delivery.
  private mutating func check() {
    if let first = unanswered.first, lane.cursor >= first.notification {
      faults.append("the cursor \(lane.cursor) has passed \(first.notification)")
    }
    if lane.waiting < 0 || lane.waiting > 2 * Int(last) {
      faults.append("\(lane.waiting) deliveries wait")
    }
  }

  private static func name(_ delivery: Delivery) -> String {
    "\(delivery.notification) \(delivery.channel)"
  }
}
