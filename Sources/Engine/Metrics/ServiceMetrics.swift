import Access
package import CivilTime
package import Outbox
package import Reminders
import Store

/// The metrics of the service (rule H2). They contain no data of a single recipient.
package struct ServiceMetrics: Sendable {
  /// A lane, which is the queue of one sink.
  package struct Lane: Sendable {
    package var sink: String
    /// Recorded deliveries that the sink has not answered.
    package var waiting: Int
    /// Deliveries in retry.
    package var retrying: Int
    /// Dead letters of the sink: deliveries with no attempts left.
    package var deadLetters: Int
    /// The age of the oldest delivery that the sink has not accepted; zero if there is none.
    package var oldest: TimeSpan
    /// The age of the oldest delivery that waits for the sink's first answer; zero if none waits.
    package var oldestInQueue = TimeSpan.zero
    /// Whether the sink currently sends nothing.
    package var isFailing: Bool
    /// Whether an operator has paused dispatching to the sink.
    package var isPaused = false
    /// Counters of the sink's answers since the start.
    package var answers: LaneCounters
  }

  /// A part of the service that the watchdog supervises.
  package struct Part: Sendable {
    package var name: String
    /// Seconds since the part last reported progress, or since its sleep should have ended; 0 while
    /// it is idle.
    package var secondsWithoutProgress: Double
  }

  /// The number of a reminder's occurrences with one outcome.
  package struct Occurrences: Sendable {
    /// The reminder's name in the catalog: `milestone` for all of `milestone-{days}`.
    package var reminder: String
    package var outcome: OccurrenceOutcome
    package var count: Int
  }

  package var now: Instant
  /// The time at which the engine was created.
  package var started: Instant
  /// The number of recipients of this process.
  package var recipients: Int
  /// The number of pending occurrences of these recipients.
  package var pending: Int
  /// Due recipients that are not yet processed.
  package var due: Int
  /// Recipients to be replanned.
  package var stale: Int
  /// Recipients whose zone is missing from the tz database.
  package var inLostZones = 0
  /// Open streams of notifications.
  package var streams: Int
  /// The lead of the wall clock over the trusted time, during which nothing is sent; zero if the
  /// wall clock is trusted.
  package var clockLead = TimeSpan.zero
  /// The lag of the clock behind the newest record, during which nothing fires; zero unless the
  /// clock is too far behind.
  package var clockLag = TimeSpan.zero
  /// Whether the last reload or the start rejected the configuration files.
  package var isReloadRejected = false
  /// The earliest expiry among the app tokens that are reported, because they expire soon or have
  /// expired; nil if none is reported.
  package var tokenExpiry: Instant?
  /// Whether the store currently rejects writes.
  package var isStorageFailing = false
  /// The size of the store on disk, in bytes.
  package var storeSize: Int64 = 0
  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown.
  package var diskUse: Double?
  package var counters: EngineCounters
  /// The fired occurrences since the start, by reminder and outcome.
  package var occurrences: [Occurrences]
  /// The time since retention last examined every row, or since the start; nil if no retention is
  /// set.
  package var retentionAge: TimeSpan?
  /// Usage counts since the start (rule M2).
  package var usage: UsageTable
  /// A histogram of commit times in seconds.
  package var commits: Histogram
  package var lanes: [Lane]
  /// The lanes of analytics events, one for each route.
  package var analytics: [Lane] = []
  package var parts: [Part] = []
  /// The result of the latest nightly audit; nil if there was none since the start.
  package var audit: AuditSummary?
  /// The counts of spans; nil without tracing.
  package var spans: SpanCounts?
  /// The names of the catalogs.
  package var catalogs: [String]
  /// The release of the tz database.
  package var zoneDatabase: String
  /// How many versions of the tz database were loaded since the start.
  package var zoneGeneration: Int
  /// When the tz database was released, approximately; nil if it is unknown.
  package var zonesReleased: Instant?
  /// The earliest instant at which the known holidays of a used region end; nil if no end is known.
  package var holidaysEnd: Instant?
  /// The nodes that share the store; nil if the store belongs to this process alone.
  package var fleet: FleetOverview?
}

extension EngineCore {
  /// Returns the current status, for the engine's own thread.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    try questions.status(now: now)
  }

  /// Returns the current metrics, for the engine's own thread.
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    try questions.metrics(now: now)
  }

  /// Usage counts since the start.
  var usage: [UsageKey: Int] { published.usage }
}

extension Questions {
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    let (view, usage, streams) = (published.view, published.usage, watchers.count)
    let audit = lastAudit.summary
    return try readers.read { transaction in
      var lanes: [ServiceMetrics.Lane] = []
      let backlogs = try transaction.backlogs(of: view.cursors)
      for lane in view.lanes { lanes.append(lane.metrics(now: now, backlogs[lane.sink.name])) }
      return ServiceMetrics(
        now: now, started: view.started, recipients: view.recipients, pending: view.pending,
        due: view.due, stale: view.stale, inLostZones: view.lostZones.recipients, streams: streams,
        clockLead: view.clockLead ?? .zero,
        clockLag: view.clockHold.map { max(.zero, $0 - now) } ?? .zero,
        tokenExpiry: tokens.ending.first { $0.isReported(at: now) }?.expiry,
        isStorageFailing: view.storageFailure != nil, storeSize: readers.size,
        diskUse: readers.diskUse,
        counters: view.counters,
        occurrences: view.occurrences,
        retentionAge: view.retention.flatMap { _ in view.retentionEnd.map { max(.zero, now - $0) }
        },
        usage: UsageTable(usage), commits: view.commits,
        lanes: lanes,
        analytics: try AnalyticsRoute.allCases.compactMap { route in
          try view.analyticsStatus(of: route, now: now, in: transaction)?.metrics(now: now)
        }, audit: audit, catalogs: view.planner.catalog.catalogNames,
        zoneDatabase: view.planner.zones.version,
        zoneGeneration: view.planner.zones.generation,
        zonesReleased: view.planner.zones.released,
        holidaysEnd: view.planner.holidaysEnd(of: try transaction.usedRegions()),
        fleet: try transaction.fleet().map(FleetOverview.init))
    }
  }
}

extension LaneView {
  fileprivate func metrics(now: Instant, _ backlog: LaneBacklog?) -> ServiceMetrics.Lane {
    let backlog = backlog ?? LaneBacklog()
    let waitingSince = oldestWaiting(backlog)
    let unacceptedSince = [backlog.oldestRetry, waitingSince].compactMap { $0 }.min()
    let age = { (instant: Instant?) in instant.map { max(.zero, now - $0) } ?? TimeSpan.zero }
    return ServiceMetrics.Lane(
      sink: sink.name, waiting: waiting,
      retrying: backlog.retrying, deadLetters: backlog.deadLetters,
      oldest: age(unacceptedSince), oldestInQueue: age(waitingSince), isFailing: failure != nil,
      isPaused: isPaused, answers: answers)
  }
}

extension ServiceStatus.Lane {
  fileprivate func metrics(now: Instant) -> ServiceMetrics.Lane {
    ServiceMetrics.Lane(
      sink: sink, waiting: waiting, retrying: retrying, deadLetters: 0,
      oldest: oldestWaiting.map { max(.zero, now - $0) } ?? .zero, isFailing: failure != nil,
      isPaused: isPaused, answers: answers)
  }
}

extension EngineView {
  /// The counted outcomes of each reminder, under its name in the current catalog.
  fileprivate var occurrences: [ServiceMetrics.Occurrences] {
    var counts: [String: [OccurrenceOutcome: Int]] = [:]
    for (occurrence, count) in counters.occurrences.counts {
      let name = planner.catalog.family(of: occurrence.reminder)
      counts[name, default: [:]][occurrence.outcome, default: 0] += count
    }
    for (reminder, count) in counters.deliveries.counts
    where reminder != TestNotification.identifier {
      let name = planner.catalog.family(of: reminder)
      counts[name, default: [:]][.delivered, default: 0] += count
    }
    return counts.sorted { $0.key < $1.key }.flatMap { name, outcomes in
      OccurrenceOutcome.allCases.compactMap { outcome in
        outcomes[outcome].map {
          ServiceMetrics.Occurrences(reminder: name, outcome: outcome, count: $0)
        }
      }
    }
  }
}

extension Catalog {
  /// Returns the name under which a reminder is counted: its identifier, "milestone" for all
  /// milestones, or "undeclared" for a reminder that the catalog lacks.
  fileprivate func family(of symbol: Symbol) -> String {
    if symbol == Digest.symbol { return Digest.identifier }
    guard let reminder = reminder(symbol) else { return "undeclared" }
    if case .milestone = reminder.trigger { return "milestone" }
    return reminder.identifier
  }

  /// Returns the name under which a reminder is counted, for the reminder's identifier in a
  /// delivery.
  fileprivate func family(of identifier: String) -> String {
    identifier == Reminder.requested ? identifier : family(of: Symbol(identifier))
  }
}

extension PublishedView {
  private static let anyDate = LocalDate(daysSinceEpoch: 0)

  /// Adds usage counts to the totals since the start. The totals distinguish hours, but not dates.
  func countUsage(_ usage: [UsageKey: Int]) {
    guard !usage.isEmpty else { return }
    var counts: [UsageKey: Int] = [:]
    for (key, count) in usage {
      var key = key
      key.hour = LocalHour(date: Self.anyDate, hour: key.hour.hour)
      counts[key, default: 0] += count
    }
    count(counts)
  }
}
