package import CivilTime
package import Reminders
package import Store

/// A lane, what is with its sink, and what of it is on disk.
package struct LaneState: Sendable {
  /// The number of a lane that a start found in the store: no sink stands behind it.
  static let restored = -1

  /// Which of all lanes since the start it is: each has one sink, and its answers say the number.
  package let number: Int
  package internal(set) var lane: Lane
  /// Whether the sink wants to know where and how to reach people.
  package let needsAddressee: Bool
  /// The retries that are with the sink, in the order of the batch.
  package internal(set) var retries: [Retry] = []
  /// The batch that is with the sink.
  package internal(set) var batch: [Delivery] = []
  /// Since when.
  var handedAt: Instant
  /// What is with the sink of earlier batches, by the numbers of their calls: it has answered for
  /// the others of them, and goes on.
  package internal(set) var stragglers: [Int: Stragglers] = [:]
  /// Up to which notification it is on disk that the sink may have everything.
  package internal(set) var handed: Int64
  /// The lane's place as it is on disk.
  package internal(set) var saved: Int64
  /// What the sink has said so far.
  package internal(set) var answers = LaneCounters()
  /// What it said last to something that it did not take.
  package internal(set) var lastFailure: SinkFailure?
  /// When the next of the retries is due.
  package internal(set) var nextRetry: Instant?

  init(number: Int, lane: Lane, needsAddressee: Bool = false, now: Instant) {
    self.number = number
    self.lane = lane
    self.needsAddressee = needsAddressee
    handed = lane.place
    handedAt = now
    saved = lane.place
  }

  package var sink: String { lane.sink }

  /// Whether what is with the sink is from the lane's queue.
  var hasQueueWithSink: Bool { retries.isEmpty }

  /// How many of the queue are with the sink.
  var countOfQueueWithSink: Int { hasQueueWithSink ? batch.count : 0 }

  /// Whether the sink has nothing.
  var isQuiet: Bool { batch.isEmpty && stragglers.isEmpty }

  /// How many deliveries are with the sink.
  package var countWithSink: Int {
    stragglers.values.reduce(batch.count) { $0 + $1.retries.count }
  }

  /// Whether the sink has something for some recipients.
  func hasSomething(for rows: Set<UInt32>) -> Bool {
    let isIn = { (delivery: Delivery) in rows.contains(delivery.row) }
    return batch.contains(where: isIn)
      || stragglers.values.contains { $0.retries.contains { isIn($0.delivery) } }
  }

  /// The sink has nothing of its batch any more, or of an earlier one.
  mutating func release(_ call: Int? = nil) {
    if let call {
      stragglers[call] = nil
      return
    }
    batch = []
    retries = []
  }

  /// The sink has nothing of the first of its batch any more.
  mutating func releaseFirst(_ count: Int) {
    batch.removeFirst(count)
    retries.removeFirst(min(count, retries.count))
  }

  /// The sink goes on with some of a batch, by its number.
  mutating func keep(_ retries: [Retry], since handedAt: Instant, by call: Int) {
    stragglers[call] =
      retries.isEmpty ? nil : Stragglers(retries: retries, handedAt: handedAt)
  }
}

extension LaneState {
  mutating func note(_ outage: SinkOutage, now: Instant) {
    answers.add(.outage)
    lastFailure = SinkFailure(at: now, reason: outage.description)
  }
}

/// What a sink has not answered for of a batch that it has answered for otherwise: on disk as
/// retries that it has, so that the lane goes on without them.
package struct Stragglers: Sendable {
  package let retries: [Retry]
  /// Since when the sink has them.
  let handedAt: Instant
}

/// Why a sink did not take something.
package struct SinkFailure: Hashable, Sendable {
  package var at: Instant
  package var reason: String

  package init(at: Instant, reason: String) {
    (self.at, self.reason) = (at, reason)
  }
}

/// What a lane's sink has said, delivery by delivery, since the start.
package struct LaneCounters: Hashable, Sendable {
  package var delivered = 0
  /// To be attempted again.
  package var retried = 0
  /// Never to be attempted again.
  package var rejected = 0
  /// Batches of which the sink took nothing.
  package var outages = 0
  /// Deliveries that an earlier start had handed over and got no answer for.
  package var orphaned = 0
  /// Those of them that are dead letters now, as the service died of them.
  package var setAside = 0
  /// How many seconds batches were with the sink that it answered for.
  package private(set) var latency = Histogram(bounds: [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ])

  package init() {}

  static let outage: LaneCounters = {
    var counters = LaneCounters()
    counters.outages = 1
    return counters
  }()

  /// - Parameter latency: how long the batch was with the sink; nil while it has some of it.
  init(_ answers: [SinkAnswer], after latency: TimeSpan?) {
    self.init()
    // The clock may have been set back meanwhile.
    if let latency { self.latency.observe(Double(max(0, latency.milliseconds)) / 1_000) }
    for answer in answers {
      switch answer.verdict {
      case .delivered: delivered += 1
      case .retry: retried += 1
      case .rejected: rejected += 1
      }
    }
  }

  mutating func add(_ other: LaneCounters) {
    delivered += other.delivered
    retried += other.retried
    rejected += other.rejected
    outages += other.outages
    orphaned += other.orphaned
    setAside += other.setAside
    latency.add(other.latency)
  }
}
