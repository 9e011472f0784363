import CivilTime
package import Reminders

/// The counts of a sink's answers since the start.
package struct LaneCounters: Hashable, Sendable {
  package var delivered = 0
  /// The number of answers after which the delivery is attempted again.
  package var retried = 0
  /// The number of rejected deliveries.
  package var rejected = 0
  /// The number of batches from which the sink accepted nothing.
  package var outages = 0
  /// The number of deliveries that an earlier run of the service, or another node, dispatched
  /// without getting an answer.
  package var orphaned = 0
  /// The number of orphaned deliveries that were quarantined after three crashes.
  package var quarantined = 0
  /// The time from the dispatch of a batch to the last of its answers, in seconds.
  package private(set) var latency = Histogram(bounds: [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ])

  package init() {}

  /// The counts of a single outage.
  static let outage: LaneCounters = {
    var counters = LaneCounters()
    counters.outages = 1
    return counters
  }()

  /// Counts the answers to a batch, or to a part of it.
  ///
  /// - Parameter latency: how long the batch was in flight; nil while some of its deliveries are
  ///   still in flight.
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
    quarantined += other.quarantined
    latency.add(other.latency)
  }
}
