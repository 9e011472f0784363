package import CivilTime
package import Reminders

/// The service in numbers, for those who watch over many (rule H2). Nothing in it is one
/// recipient's.
package struct ServiceMetrics: Sendable {
  /// One sink's lane.
  package struct Lane: Sendable {
    package var sink: String
    /// Decided and recorded, not yet answered for by the sink.
    package var waiting: Int
    package var retrying: Int
    package var deadLetters: Int
    /// For how long the oldest delivery that the sink has not taken has been decided; zero if it
    /// has taken them all.
    package var oldest: TimeSpan
    package var isFailing: Bool
    package var answers: LaneCounters
  }

  /// A part of the service that the watchdog watches.
  package struct Part: Sendable {
    package var name: String
    /// For how long it has been at work without a sign of progress, or has overslept; in seconds,
    /// 0 while it rests.
    package var age: Double
  }

  /// How often something came of the occurrences of a reminder.
  package struct Occurrences: Sendable {
    /// As the catalog declares it: `milestone` for all of `milestone-{days}`.
    package var reminder: String
    package var outcome: OccurrenceOutcome
    package var count: Int
  }

  package var now: Instant
  package var started: Instant
  package var recipients: Int
  package var pending: Int
  /// Recipients whose instant has come and who wait for their turn.
  package var due: Int
  /// Recipients who are to be planned anew.
  package var stale: Int
  /// Live streams of notifications that are open.
  package var streams: Int
  /// Whether nothing can be written at present.
  package var isStorageFailing = false
  /// What the store takes on disk, in bytes.
  package var storeSize: Int64 = 0
  package var counters: EngineCounters
  package var occurrences: [Occurrences]
  /// How notifications were used since the start (rule M2).
  package var usage: UsageTable
  /// How long commits took, in seconds.
  package var commits: Histogram
  package var lanes: [Lane]
  package var parts: [Part] = []
  package var catalogs: [String]
  package var zoneDatabase: String
  /// The snapshot of the tz database: it counts those since the start.
  package var zoneGeneration: Int
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

  package init() {}

  mutating func add(_ other: LaneCounters) {
    delivered += other.delivered
    retried += other.retried
    rejected += other.rejected
    outages += other.outages
    orphaned += other.orphaned
    setAside += other.setAside
  }
}
