import Access
package import CivilTime
import Outbox
package import Reminders
import Store

extension EngineCore {
  /// Answers requests that need no transaction; true if this was one.
  func answerAtOnce(_ request: Request) -> Bool {
    switch request {
    case .forgetTest(let notification): forgetTest(notification)
    case .stop(let answer): answer(.success(()))
    case .cleaned, .abandon: break
    case .write, .inboxWrite, .test:
      guard let shard = request.recipient.flatMap(foreignShard) else { return false }
      refuse(request, ServiceUnavailable(elsewhere: shard))
    case .submit, .deadLetterWrite, .pauseSink, .drain, .token, .sinkAnswered, .sinkAnsweredInPart,
      .stragglersAnswered, .analyticsAnswered, .planWith, .adopt, .acquire, .release, .refresh:
      return false
    }
    return true
  }

  /// The current status, for the engine's own thread.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    try questions.status(now: now)
  }
}

extension Questions {
  func agenda(of name: String, now: Instant) throws(StoreError) -> Agenda? {
    let planner = planner
    let stored = try readers.read { try $0.recipient(named: name) }
    guard let recipient = stored?.recipient else { return nil }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let ahead = recipient.pendingReminders(now: now, planner: planner)
    return Agenda(
      recipient: name, zone: context.zone, isDefaultZone: context.isZoneDefault,
      now: now, entries: entries(ahead, in: context))
  }

  /// The occurrences that the recipient has cancelled, as they would be pending (rule N4).
  func cancelled(of name: String, now: Instant) throws(StoreError) -> Agenda? {
    let planner = planner
    let stored = try readers.read { try $0.recipient(named: name) }
    guard let recipient = stored?.recipient else { return nil }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let ahead = recipient.cancelledReminders(now: now, planner: planner)
    let series = Set(
      ahead.pending.filter { context.hasStop($0.reminder, key: $0.key) }
        .compactMap { entry($0, in: context)?.identifier })
    var agenda = Agenda(
      recipient: name, zone: context.zone, isDefaultZone: context.isZoneDefault,
      now: now, entries: entries(ahead, in: context))
    for index in agenda.entries.indices {
      agenda.entries[index].cancellation =
        series.contains(agenda.entries[index].identifier) ? .series : .occurrence
    }
    return agenda
  }

  /// A digest is one entry, at its own position (rule V14).
  private func entries(_ ahead: PendingReminders, in context: PlanningContext) -> [Agenda.Entry] {
    var entries = ahead.pending.compactMap { pending in
      pending.decision.outcome == .bundled ? nil : entry(pending, in: context)
    }
    for digest in ahead.digests {
      guard let entry = entry(digest, in: context) else { continue }
      let place = entries.firstIndex { $0.at > entry.at } ?? entries.endIndex
      entries.insert(entry, at: place)
    }
    return entries
  }

  private func entry(_ digest: PendingReminders.Digest, in context: PlanningContext) -> Agenda
    .Entry?
  {
    let firing = digest.firing
    guard let message = context.message(of: firing) else { return nil }
    return Agenda.Entry(
      identifier: "\(message.reminder)~\(firing.key)", reminder: message.reminder,
      category: message.category, channels: firing.channels.channels, title: message.title,
      body: message.body, planned: firing.planned, at: firing.at, outcome: .delivered,
      reasons: firing.trace.reasons,
      members: digest.members.compactMap { entry($0, in: context) })
  }

  private func entry(_ pending: Pending, in context: PlanningContext) -> Agenda.Entry? {
    guard let message = context.message(of: pending) else { return nil }
    let name = context.catalog.reminder(pending.reminder).map(context.catalog.name)
    return Agenda.Entry(
      identifier: "\(name ?? message.reminder)~\(pending.key)", reminder: message.reminder,
      category: message.category,
      channels: pending.channels.channels, title: message.title, body: message.body,
      planned: pending.planned, at: pending.decision.at, outcome: pending.decision.outcome,
      reasons: pending.decision.trace.reasons,
      waitsFor: pending.waitsFor.flatMap(context.keeping))
  }

  /// The status, or the reason why it cannot be read.
  func readStatus(now: Instant) -> Result<ServiceStatus, ServiceUnavailable> {
    do {
      return .success(try status(now: now))
    } catch {
      damage.note(error)
      return .failure(ServiceUnavailable(asking: error))
    }
  }

  /// The used share of the store's file system; nil if it is unknown.
  var diskUse: Double? { readers.diskUse }

  /// - Throws: the store's error: a count that cannot be read is not reported as zero.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    let view = published.view
    var status = try readers.read { try view.status(now: now, published.firstSent, in: $0) }
    (status.storeSize, status.setAside) = (readers.size, readers.setAside)
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
    return status
  }
}

extension EngineView {
  /// Dead letters of removed sinks count too.
  fileprivate func status(
    now: Instant, _ firstSent: FirstSent, in transaction: any StoreReader
  ) throws -> ServiceStatus {
    var shown: [ServiceStatus.Lane] = []
    let lost = allLostZones
    let backlogs = try transaction.backlogs(of: places)
    let warnings = planner.dataWarnings(at: now, regions: try transaction.usedRegions())
    for lane in lanes { shown.append(lane.status(now: now, backlogs[lane.sink.name])) }
    return ServiceStatus(
      now: now, started: started, recipients: recipients, pending: pending,
      next: try next(now: now, firstSent, in: transaction), lanes: shown,
      analytics: try analyticsStatus(now: now, in: transaction), routes: routes,
      catalogs: planner.catalog.names, zoneDatabase: planner.zones.version,
      defaultZone: planner.defaultZone.name,
      dataWarnings: lost.sentences + warnings, lostZones: lost,
      due: due, replanning: stale, recipientsSetAside: setAside,
      deadLetters: try transaction.deadLetterCount(), storageFailure: storageFailure,
      loss: loss, erasureOpen: erasureOpen, clockHold: clockHold,
      clockLeap: clockLead.map { now + $0 },
      counters: counters, fleet: try transaction.fleet().map(FleetOverview.init))
  }

  /// A missing file of the default zone is reported even if no recipient follows that zone.
  private var allLostZones: LostZones {
    var lost = lostZones
    let fault = planner.zones.fault(of: planner.defaultZone.name)
    if let fault { lost.add(fault, recipients: 0) }
    return lost
  }

  /// The most analytics events that a query reads: a snapshot must not last long.
  private static let analyticsMax = 10_000

  /// The lane of analytics events, with its backlog; nil while they have no route.
  func analyticsStatus(
    now: Instant, in transaction: any StoreReader
  ) throws -> ServiceStatus.Lane? {
    guard let analytics else { return nil }
    let backlog = try transaction.analyticsBacklog(
      after: analytics.place, limit: Self.analyticsMax)
    var lane = analytics.status(now: now, nil)
    (lane.waiting, lane.oldestWaiting) = (backlog.count, backlog.oldest)
    lane.retrying = lane.nextRetry == nil ? 0 : 1
    return lane
  }

  /// The first reminders that will be sent, in order. At each of the first due instants, the
  /// occurrences of a bounded number of recipients are decided. A recipient whose gates pass
  /// nothing by the last of these instants is omitted.
  private func next(
    now: Instant, _ firstSent: FirstSent, in transaction: any StoreReader
  ) throws -> [ServiceStatus.Next] {
    guard let last = next.map(\.at).max() else { return [] }
    let people = try transaction.recipients(rows: next.flatMap(\.rows).sorted()[...])
    let firings = firstSent.firings(of: people, from: now, through: max(last, now), by: self)
    var found: [Instant: ServiceStatus.Next] = [:]
    for firing in people.compactMap({ firings[$0.row] }) {
      guard let reminder = planner.catalog.reminder(firing.reminder) else { continue }
      let first = ServiceStatus.Next(
        reminder: reminder.identifier, recipients: 0, at: firing.at,
        hasMore: next.contains { $0.isPartial && $0.at <= firing.at })
      found[firing.at, default: first].recipients += 1
    }
    return Array(found.values.sorted { $0.at < $1.at }.prefix(NextDue.shown))
  }
}

extension EngineView {
  /// The query to the store for each lane: the cursor after which its oldest waiting delivery is;
  /// nil if that is in memory.
  var places: [String: Int64?] {
    Dictionary(
      lanes.map { ($0.sink.name, $0.waiting > 0 && $0.oldest == nil ? $0.place : nil) },
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

/// The pending occurrences of one recipient, in a form ready to show.
package struct Agenda: Sendable {
  package struct Entry: Sendable {
    /// The id of the occurrence; the same in both channel groups.
    package var identifier = ""
    package var reminder: String
    package var category: String
    package var channels: [Channel]
    package var title: String
    package var body: String
    package var planned: Instant
    /// When the gates will pass it under present conditions, or drop it.
    package var at: Instant
    package var outcome: Outcome
    /// The gates that hold or drop it.
    package var reasons: [String]
    /// The occurrence that a reserved slot is for, if this one waits for that (rule V12).
    package var waitsFor: SlotKeeping?
    /// The members of a digest, the most urgent first; empty for anything else.
    package var members: [Entry] = []
    /// How the recipient has cancelled it; nil for a pending one.
    package var cancellation: Cancellation?
  }

  package enum Cancellation: Sendable {
    case occurrence, series
  }

  package var recipient: String
  package var zone: Zone
  /// Whether the zone is the service's default because the recipient has none (rule T4).
  package var isDefaultZone: Bool
  package var now: Instant
  /// In the order in which they will be sent.
  package var entries: [Entry]
}

/// A query for analytics events.
package struct AnalyticsQuery: Sendable {
  /// The recipient; nil for all.
  package var recipient: String?
  /// The last event that the caller has; 0 for none.
  package var after: Int64
  package var limit: Int

  package init(recipient: String?, after: Int64, limit: Int) {
    self.recipient = recipient
    self.after = after
    self.limit = limit
  }
}

/// A page of analytics events, in the order in which they were written.
package struct AnalyticsPage: Sendable {
  package var records: [AnalyticsRecord]
  /// Whether there are more after the last of them.
  package var hasMore: Bool
}

extension Questions {
  /// Nil for an unknown recipient.
  func analytics(_ query: AnalyticsQuery) throws(StoreError) -> AnalyticsPage? {
    try readers.read { transaction in
      var row: UInt32?
      if let name = query.recipient {
        guard let stored = try transaction.recipient(named: name) else { return nil }
        row = stored.row
      }
      var records = try transaction.analytics(
        of: row, after: query.after, limit: query.limit + 1)
      let hasMore = records.count > query.limit
      if hasMore { records.removeLast() }
      return AnalyticsPage(records: records, hasMore: hasMore)
    }
  }
}
