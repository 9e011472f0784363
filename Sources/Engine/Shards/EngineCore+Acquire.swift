import CivilTime
import Outbox
import Reminders
import Store

/// Recipients that come from another node (rule F2).
extension EngineCore {
  /// The data that comes with shards, collected while they are acquired.
  private struct AcquiredData {
    /// The shards that were acquired.
    var shards: Set<Int>
    /// The recipients of these shards, and whether each has to be replanned.
    var recipients: [(row: UInt32, schedule: Schedule, isStale: Bool)] = []
    /// The deliveries that the last owners left unanswered.
    var orphans: Orphans
    /// When the next retry of each sink is due.
    var nextRetries: [String: Instant]
    /// The cursors of analytics events; empty if another node dispatches these events.
    var analyticsCursors: [AnalyticsRoute: Int64] = [:]
    /// A planner with the catalogs that the last owners used; nil if these catalogs are the current
    /// ones, or no longer known.
    var formerPlanner: Planner?
  }

  /// Acquires those of the wanted shards that no other node owns, with everything due in them. A
  /// node whose clock is in doubt acquires none.
  ///
  /// - Parameter wanted: shards that this node has claimed.
  /// - Returns: the wanted shards that the engine owns afterwards.
  func acquire(_ wanted: Set<Int>, now: Instant) throws(StoreError) -> Set<Int> {
    guard case .shards = shards.ownership, !isDraining, clock.isTrusted, clock.rewind == nil else {
      return []
    }
    let acquiredData = try store.commit { try acquireInUnit(wanted, now: now, in: $0) }
    guard !acquiredData.shards.isEmpty else { return wanted.filter(shards.ownership.contains) }
    if schedule.stale.isEmpty { planning.beginReplanning() }
    planning.formerPlanner = acquiredData.formerPlanner ?? planning.formerPlanner
    for (row, schedule, isStale) in acquiredData.recipients {
      self.schedule.load(row, schedule, isStale: isStale)
    }
    outbox.acquire(acquiredData.orphans, nextRetries: acquiredData.nextRetries)
    published.countUsage(acquiredData.orphans.effects.usage.counts)
    shards.add(acquiredData.shards)
    if !acquiredData.analyticsCursors.isEmpty {
      outbox.routeAnalytics(from: acquiredData.analyticsCursors, now: now)
    }
    schedule.advance(to: now)
    for note in acquiredData.orphans.notes { actions.report(note) }
    publish(now: now)
    return wanted.filter(shards.ownership.contains)
  }

  private func acquireInUnit(
    _ wanted: Set<Int>, now: Instant, in transaction: any StoreWriter
  ) throws -> AcquiredData {
    let fleet = try transaction.fleet()?.shards ?? []
    let acquisition = try transaction.acquire(wanted, plan: planner.fingerprint, now: now)
    let shards = acquisition.shards
    // Suspects (deliveries in flight at crashes, see `Suspicion`) wait only if their last owner
    // crashed. Otherwise each rejoin of a process would begin the wait again. Culprits, which are
    // quarantined, are taken from every acquired shard.
    let suspects = try transaction.suspects(deaths: Suspicion.deathsMax - 1).filter { suspect in
      let isCulprit = suspect.deaths >= Suspicion.deathsMax
      return (isCulprit ? shards : acquisition.crashed)
        .contains(self.shards.shard(of: suspect.delivery.recipient))
    }
    let orphans = Orphans(counts: acquisition.orphans, suspects: suspects, now: now)
    var acquiredData = AcquiredData(shards: shards, orphans: orphans, nextRetries: [:])
    guard !shards.isEmpty else { return acquiredData }
    let plans = fleet.filter { shards.contains($0.shard) }.map(\.plan)
    acquiredData.formerPlanner = try planning.formerPlanner(of: plans, in: transaction)
    try planning.recordCatalogs(of: planner, now: now, in: transaction)
    try outbox.write(orphans.effects, in: transaction)
    try outbox.moveMisrouted(by: outbox.dispatcher.routes, in: transaction)
    acquiredData.orphans.add(
      try outbox.startFallbacks(
        of: orphans.quarantined, planner: planner, now: now, in: transaction))
    let staleShards = try planning.hasLostZones(in: transaction) ? shards : acquisition.stale
    try transaction.forEachSchedule(of: shards.subtracting(staleShards)) {
      acquiredData.recipients.append(($0, $1, isStale: false))
    }
    try transaction.forEachSchedule(of: staleShards) {
      acquiredData.recipients.append(($0, $1, isStale: true))
    }
    if acquiredData.recipients.contains(where: \.isStale) {
      try planning.recordStart(now, in: transaction)
      // Other nodes may have planned these shards with other catalogs or settings, so their plan is
      // recorded as the former plan.
      try planning.recordFormerPlan(
        of: plans, wasInterrupted: fleet.contains { $0.plan.isEmpty }, in: transaction)
      try planning.record(planner, isDone: false, now: now, in: transaction)
    } else if schedule.stale.isEmpty {
      try transaction.save(plan: planner.fingerprint)
    }
    acquiredData.nextRetries = try transaction.nextRetries(of: outbox.dispatcher.sinks)
    acquiredData.analyticsCursors = try outbox.prepareAnalytics(
      by: outbox.configuration.routes, of: .shards(shards), in: transaction)
    return acquiredData
  }
}
