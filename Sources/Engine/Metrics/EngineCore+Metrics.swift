package import CivilTime
package import Outbox
package import Reminders
import Store

extension EngineCore {
  /// The metrics as they are now, for the engine's own thread.
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    try questions.metrics(now: now)
  }

  /// How notifications were used since the start.
  var usage: [UsageKey: Int] { published.usage }
}

extension Questions {
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    let (view, usage, streams) = (published.view, published.usage, watchers.count)
    return try readers.read { transaction in
      var lanes: [ServiceMetrics.Lane] = []
      let backlogs = try transaction.backlogs(of: view.places)
      for lane in view.lanes { lanes.append(lane.metrics(now: now, backlogs[lane.sink.name])) }
      return ServiceMetrics(
        now: now, started: view.started, recipients: view.recipients, pending: view.pending,
        due: view.due, stale: view.stale, inLostZones: view.lostZones.recipients, streams: streams,
        isStorageFailing: view.storageFailure != nil, storeSize: readers.size,
        diskUse: readers.diskUse,
        counters: view.counters,
        occurrences: view.occurrences, usage: UsageTable(usage), commits: view.commits,
        lanes: lanes,
        analytics: try view.analyticsStatus(now: now, in: transaction)
          .map { $0.metrics(now: now) }, catalogs: view.planner.catalog.names,
        zoneDatabase: view.planner.zones.version,
        zoneGeneration: view.planner.zones.generation,
        fleet: try transaction.fleet().map(FleetOverview.init))
    }
  }
}

extension LaneView {
  fileprivate func metrics(now: Instant, _ backlog: LaneBacklog?) -> ServiceMetrics.Lane {
    let backlog = backlog ?? LaneBacklog()
    let since = [backlog.oldestRetry, oldestWaiting(backlog)].compactMap { $0 }.min()
    return ServiceMetrics.Lane(
      sink: sink.name, waiting: waiting,
      retrying: backlog.retrying, deadLetters: backlog.deadLetters,
      oldest: since.map { max(.zero, now - $0) } ?? .zero, isFailing: failure != nil,
      isPaused: isPaused,
      answers: answers)
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
  /// What was counted by symbol, by the names that the catalog now in force declares.
  fileprivate var occurrences: [ServiceMetrics.Occurrences] {
    var counts: [String: [OccurrenceOutcome: Int]] = [:]
    for (occurrence, count) in counters.occurrences.counts {
      let name = planner.catalog.family(of: occurrence.reminder)
      counts[name, default: [:]][occurrence.outcome, default: 0] += count
    }
    for (reminder, count) in counters.deliveries.counts where reminder != EngineCore.testName {
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
  /// What a reminder is counted as: its identifier, but of a family that the catalog declares as
  /// one, the family's name.
  fileprivate func family(of symbol: Symbol) -> String {
    if symbol == Digest.symbol { return Digest.identifier }
    guard let reminder = reminder(symbol) else { return "undeclared" }
    if case .milestone = reminder.trigger { return "milestone" }
    return reminder.identifier
  }

  /// The same by the identifier that a delivery carries.
  fileprivate func family(of identifier: String) -> String {
    identifier == Reminder.requested ? identifier : family(of: Symbol(identifier))
  }
}

extension EngineCore {
  /// Keeps what an event tells of the use of preferences (rule M1), and counts it (rule M2), in the
  /// event's own transaction.
  ///
  /// - Parameter before: the facts without the event, which is one of preferences.
  func measure(
    _ event: Event, _ order: Int64, from before: Facts, of row: UInt32, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    var after = before
    after.fold(event, order: order, memory: nil)
    let events = before.analytics(
      after: after, at: event.time, in: turn.planner.catalog.settings)
    try transaction.append(events, of: row)
    turn.hasAnalytics = turn.hasAnalytics || !events.isEmpty
    turn.usage.add(changeFrom: before, to: after, at: event.time, planner: turn.planner)
  }

  /// Writes what the turn has counted, once for all of it.
  func saveUsage(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    guard !turn.usage.isEmpty else { return }
    turn.usageCounts = turn.usage.counts
    try transaction.add(turn.usageCounts)
  }

  /// Adds what was counted to the counts since the start, which know no dates.
  func countUsage(_ usage: [UsageKey: Int]) {
    guard !usage.isEmpty else { return }
    var counts: [UsageKey: Int] = [:]
    for (key, count) in usage {
      var key = key
      key.hour = LocalHour(date: Self.anyDate, hour: key.hour.hour)
      counts[key, default: 0] += count
    }
    published.count(counts)
  }

  private static let anyDate = LocalDate(daysSinceEpoch: 0)
}

extension Event {
  /// Whether it writes settings, which permissions are too.
  var isOfPreferences: Bool {
    if case .preferences = content { true } else { false }
  }
}

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
    package var isPaused = false
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
  /// Recipients whose zone the tz database has lost.
  package var inLostZones = 0
  /// Live streams of notifications that are open.
  package var streams: Int
  /// Whether nothing can be written at present.
  package var isStorageFailing = false
  /// What the store takes on disk, in bytes.
  package var storeSize: Int64 = 0
  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown.
  package var diskUse: Double?
  package var counters: EngineCounters
  package var occurrences: [Occurrences]
  /// How notifications were used since the start (rule M2).
  package var usage: UsageTable
  /// How long commits took, in seconds.
  package var commits: Histogram
  package var lanes: [Lane]
  /// The lane of analytics events.
  package var analytics: Lane?
  package var parts: [Part] = []
  package var catalogs: [String]
  package var zoneDatabase: String
  /// The snapshot of the tz database: it counts those since the start.
  package var zoneGeneration: Int
  /// Who works on the store; nil where it is this process's.
  package var fleet: FleetOverview?
}
