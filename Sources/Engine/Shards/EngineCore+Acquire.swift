import CivilTime
import Outbox
import Reminders
import Store

/// Recipients that come from another node (rule F2).
extension EngineCore {
  /// The data that comes with shards, collected while they are acquired.
  private struct Takeover {
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
    let takeover = try store.commit { try takeOver(wanted, now: now, in: $0) }
    guard !takeover.shards.isEmpty else { return wanted.filter(shards.ownership.contains) }
    if schedule.stale.isEmpty { planning.beginReplanning() }
    planning.formerPlanner = takeover.formerPlanner ?? planning.formerPlanner
    for (row, schedule, isStale) in takeover.recipients {
      self.schedule.load(row, schedule, isStale: isStale)
    }
    outbox.acquire(takeover.orphans, nextRetries: takeover.nextRetries)
    published.countUsage(takeover.orphans.effects.usage.counts)
    shards.add(takeover.shards)
    if !takeover.analyticsCursors.isEmpty {
      outbox.routeAnalytics(from: takeover.analyticsCursors, now: now)
    }
    schedule.advance(to: now)
    for note in takeover.orphans.notes { actions.report(note) }
    publish(now: now)
    return wanted.filter(shards.ownership.contains)
  }

  private func takeOver(
    _ wanted: Set<Int>, now: Instant, in transaction: any StoreWriter
  ) throws -> Takeover {
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
    var takeover = Takeover(shards: shards, orphans: orphans, nextRetries: [:])
    guard !shards.isEmpty else { return takeover }
    let plans = fleet.filter { shards.contains($0.shard) }.map(\.plan)
    takeover.formerPlanner = try planning.formerPlanner(of: plans, in: transaction)
    try planning.recordCatalogs(of: planner, now: now, in: transaction)
    try outbox.write(orphans.effects, in: transaction)
    try outbox.moveStrays(by: outbox.dispatcher.routes, in: transaction)
    takeover.orphans.add(
      try outbox.startFallbacks(
        of: orphans.quarantined, planner: planner, now: now, in: transaction))
    let staleShards = try planning.hasLostZones(in: transaction) ? shards : acquisition.stale
    try transaction.forEachSchedule(of: shards.subtracting(staleShards)) {
      takeover.recipients.append(($0, $1, isStale: false))
    }
    try transaction.forEachSchedule(of: staleShards) {
      takeover.recipients.append(($0, $1, isStale: true))
    }
    if takeover.recipients.contains(where: \.isStale) {
      try planning.recordStart(now, in: transaction)
      // Other nodes may have planned these shards with other catalogs or settings, so their plan is
      // recorded as the former plan.
      try planning.recordFormerPlan(
        of: plans, wasInterrupted: fleet.contains { $0.plan.isEmpty }, in: transaction)
      try planning.record(planner, isDone: false, now: now, in: transaction)
    } else if schedule.stale.isEmpty {
      try transaction.save(plan: planner.fingerprint)
    }
    takeover.nextRetries = try transaction.nextRetries(of: outbox.dispatcher.sinks)
    takeover.analyticsCursors = try outbox.prepareAnalytics(
      by: outbox.configuration.routes, of: .shards(shards), in: transaction)
    return takeover
  }
}
