import Access
package import CivilTime
import Outbox
import Reminders
package import Store

/// Selects the status of the service.
package struct StatusQuery: EngineQuery {
  package static var burden: QueryBurden { .service }

  package init() {}

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> ServiceStatus {
    try questions.status(now: now)
  }
}

extension Questions {
  /// The used share of the store's file system; nil if it is unknown.
  var diskUse: Double? { readers.diskUse }

  /// Returns the status of the service.
  ///
  /// - Throws: the store's error: a count that cannot be read is not reported as zero.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    let view = published.view
    var status = try readers.read { try view.status(now: now, published.firstSent, in: $0) }
    (status.storeSize, status.setAsideFiles) = (readers.size, readers.setAsideFiles)
    status.diskUse = readers.diskUse.map { ($0 * 100).rounded(.down) / 100 }
    status.dataWarnings += damage.reasons
    status.endingTokens = tokens.ending.filter { $0.isReported(at: now) }
    let activity = published.activity
    for index in status.lanes.indices {
      let sink = status.lanes[index].sink
      status.lanes[index].delivered = activity.lastHour(of: sink, .delivered, now: now)
      status.lanes[index].failed = zip(
        activity.lastHour(of: sink, .retried, now: now),
        activity.lastHour(of: sink, .rejected, now: now)
      ).map(+)
    }
    status.audit = lastAudit.summary
    process?.complete(&status)
    return status
  }
}

extension EngineView {
  /// Returns the status of the service; its dead letters include those of removed sinks.
  fileprivate func status(
    now: Instant, _ firstSent: FirstSent, in transaction: any StoreReader
  ) throws -> ServiceStatus {
    var laneStatuses: [ServiceStatus.Lane] = []
    let lost = allLostZones
    let backlogs = try transaction.backlogs(of: cursors)
    let warnings = planner.dataWarnings(at: now, regions: try transaction.usedRegions())
    for lane in lanes { laneStatuses.append(lane.status(now: now, backlogs[lane.sink.name])) }
    return ServiceStatus(
      now: now, started: started, recipients: recipients, pending: pending,
      next: try next(now: now, firstSent, in: transaction), lanes: laneStatuses,
      analytics: try analyticsStatus(of: .analytics, now: now, in: transaction),
      outcomes: try analyticsStatus(of: .outcomes, now: now, in: transaction), routes: routes,
      catalogs: planner.catalog.catalogNames, zoneDatabase: planner.zones.version,
      defaultZone: planner.defaultZone.name,
      dataWarnings: lost.sentences + warnings, lostZones: lost,
      due: due, replanning: stale, recipientsSetAside: setAside,
      deadLetters: try transaction.deadLetterCount(), storageFailure: storageFailure,
      loss: loss, erasureOpen: erasureOpen, clockHold: clockHold,
      clockLeap: clockLead.map { now + $0 },
      counters: counters, fleet: try transaction.fleet().map(FleetOverview.init))
  }

  /// The lost zones. The default zone is included if its file is missing, even if no recipient uses
  /// it.
  private var allLostZones: LostZones {
    var lost = lostZones
    let fault = planner.zones.fault(of: planner.defaultZone.name)
    if let fault { lost.add(fault, recipients: 0) }
    return lost
  }

  /// The maximum number of analytics events that a query reads: a snapshot must not last long.
  private static let analyticsMax = 10_000

  /// Returns the status of a lane of analytics events, with its backlog; nil without such a route.
  func analyticsStatus(
    of route: AnalyticsRoute, now: Instant, in transaction: any StoreReader
  ) throws -> ServiceStatus.Lane? {
    guard let view = analytics[route] else { return nil }
    let backlog = try transaction.analyticsBacklog(
      of: routes.part(of: route), after: view.cursor, limit: Self.analyticsMax)
    var lane = view.status(now: now, nil)
    (lane.waiting, lane.oldestWaiting) = (backlog.count, backlog.oldest)
    lane.retrying = lane.nextRetry == nil ? 0 : 1
    return lane
  }

  /// Returns the first reminders that will be sent, in order. At each of the first due instants,
  /// the occurrences of a bounded number of recipients are decided. A recipient is
  /// omitted if the gates let none of its occurrences pass by the last of these instants.
  private func next(
    now: Instant, _ firstSent: FirstSent, in transaction: any StoreReader
  ) throws -> [ServiceStatus.Next] {
    guard let last = next.map(\.at).max() else { return [] }
    let people = try transaction.recipients(rows: next.flatMap(\.rows).sorted()[...])
    let firings = firstSent.firings(of: people, from: now, through: max(last, now), by: self)
    var remindersByInstant: [Instant: ServiceStatus.Next] = [:]
    for firing in people.compactMap({ firings[$0.row] }) {
      guard let reminder = planner.catalog.reminder(firing.reminder) else { continue }
      let entry = ServiceStatus.Next(
        reminder: reminder.identifier, recipients: 0, at: firing.at,
        hasMore: next.contains { $0.isPartial && $0.at <= firing.at })
      remindersByInstant[firing.at, default: entry].recipients += 1
    }
    return Array(remindersByInstant.values.sorted { $0.at < $1.at }.prefix(NextDue.instantCount))
  }
}

extension EngineView {
  /// The cursor of each lane, after which the store has the lane's oldest waiting delivery. It is
  /// nil if no delivery waits, or if the oldest one is in memory.
  var cursors: [String: Int64?] {
    Dictionary(
      lanes.map { ($0.sink.name, $0.waiting > 0 && $0.oldest == nil ? $0.cursor : nil) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension LaneView {
  fileprivate func status(now: Instant, _ backlog: LaneBacklog?) -> ServiceStatus.Lane {
    let backlog = backlog ?? LaneBacklog()
    return ServiceStatus.Lane(
      sink: sink.name, type: sink.type, isPaused: isPaused, waiting: waiting,
      retrying: backlog.retrying,
      failure: failure,
      inFlight: inFlight, deadLetters: backlog.deadLetters,
      oldestWaiting: oldestWaiting(backlog), oldestRetry: backlog.oldestRetry,
      nextRetry: nextRetry,
      isUnavailable: isUnavailable,
      breaker: isUnavailable ? .open : breaker.state(at: now), failingSince: breaker.since,
      nextAttempt: breaker.resumption, lastFailure: lastFailure, answers: answers)
  }

  /// When the oldest delivery that waits for the sink was decided.
  func oldestWaiting(_ backlog: LaneBacklog) -> Instant? {
    waiting > 0 ? oldest ?? backlog.oldestDelivery : nil
  }
}
