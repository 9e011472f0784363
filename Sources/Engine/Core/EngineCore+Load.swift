import CivilTime
package import Outbox
package import Reminders
package import Store
import Synchronization

extension EngineCore {
  /// Fills the wheel from the store. If the schedules were planned with another catalog, default
  /// zone or tz database, every recipient is replanned at once.
  func load(_ configuration: RuntimeConfiguration, now: Instant) throws(StoreError) {
    let before = clock
    let orphans = try store.commit { transaction in
      tokens.replace(by: try transaction.tokens())
      // The unit of work may run twice.
      clock = before
      schedule = ScheduleIndex(now: now)
      try clock.start(at: now, in: transaction)
      try clock.saveTrust(in: transaction)
      // A node of a fleet owns no shards yet.
      if shards.ownership == .all { try loadSchedules(now: now, in: transaction) }
      return try loadLanes(by: configuration, now: now, in: transaction)
    }
    countUsage(orphans.effects.usage.counts)
    for note in orphans.notes { actions.report(note) }
  }

  private func loadSchedules(now: Instant, in transaction: any StoreWriter) throws {
    let plan = try transaction.plan()
    let isPlanCurrent = plan == planner.fingerprint
    let hasLostZones = try hasLostZones(in: transaction)
    try ScheduleReading().forEach(in: transaction, beside: store.readers) { row, schedule in
      let isStale = !isPlanCurrent || hasLostZones || clock.rewind != nil
      self.schedule.load(row, schedule, isStale: isStale)
    }
    areZonesNew =
      plan.flatMap { PlanFingerprint($0) }.map {
        PlanFingerprint.differences(of: [$0, PlanFingerprint(planner)]) == [.zones]
      } ?? false
    if hasLostZones { noteLostZones() }
    formerPlanner = try formerPlanner(of: [plan].compactMap(\.self), in: transaction)
    try keepCatalogs(of: planner, in: transaction)
    guard !isPlanCurrent else { return }
    try keep(planner, isDone: schedule.recipients == 0, in: transaction)
    try keepPlanStart(now, in: transaction)
  }

  /// Records the planner of the schedules once all of them are planned with it: a restart before
  /// that has to replan them.
  func keep(_ planner: Planner, isDone: Bool, in transaction: any StoreWriter) throws {
    if !isDone { try keepFormerPlan(in: transaction) }
    try keepCatalogs(of: planner, in: transaction)
    try transaction.save(plan: isDone ? planner.fingerprint : "")
  }
}

extension EngineCore {
  /// Whether recipients are due or have to be replanned.
  package var hasWork: Bool { schedule.hasWork }

  /// Whether no batch is in flight.
  var isQuiet: Bool { outbox.isQuiet }

  /// Whether everything due is decided and answered by the sinks, and that is recorded.
  package var isHandedOver: Bool { !hasWork && outbox.isIdle }
}

/// The current planner, for threads that read events.
package final class CurrentPlanner: Sendable {
  private let planner: Mutex<Planner>

  package init(_ planner: Planner) {
    self.planner = Mutex(planner)
  }

  package var value: Planner {
    get { planner.withLock { $0 } }
    set { planner.withLock { $0 = newValue } }
  }
}

/// The parts of the configuration that may change at run time (rule S1).
package struct RuntimeConfiguration: Sendable {
  package var planner: Planner
  package var sinks: [any Sink]
  package var routes: Routes
  /// The limits of sinks by name.
  package var limits: [String: SinkLimits]
  /// How long the store keeps data; nil for no limit.
  package var retention: Retention?
  /// The names of the sinks that the reload leaves unchanged.
  package var kept: Set<String>

  package init(
    planner: Planner, sinks: [any Sink], routes: Routes, limits: [String: SinkLimits] = [:],
    retention: Retention? = nil, kept: Set<String> = []
  ) {
    self.planner = planner
    self.sinks = sinks
    self.routes = routes
    self.limits = limits
    self.retention = retention
    self.kept = kept
  }
}
