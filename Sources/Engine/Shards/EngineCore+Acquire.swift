import CivilTime
import Outbox
import Reminders
import Store

/// Recipients that come from another node (rule F2).
extension EngineCore {
  /// The data that comes with shards, collected while they are acquired.
  private struct Takeover {
    var shards: Set<Int>
    var people: [(row: UInt32, schedule: Schedule, isStale: Bool)] = []
    var orphans: Orphans
    var nextRetries: [String: Instant]
    /// The cursor of analytics events; nil if they stay at another node.
    var analyticsCursor: Int64?
    /// A planner with the catalogs of the last owners; nil if those are the current ones.
    var formerPlanner: Planner?
  }

  /// Acquires shards that this node has claimed, with everything due in them. A node whose clock is
  /// in doubt acquires none.
  ///
  /// - Returns: the given shards that the engine owns afterwards.
  func acquire(_ wanted: Set<Int>, now: Instant) throws(StoreError) -> Set<Int> {
    guard case .shards = shards.ownership, !isDraining, clock.isTrusted, clock.rewind == nil else {
      return []
    }
    let takeover = try store.commit { try takeOver(wanted, now: now, in: $0) }
    guard !takeover.shards.isEmpty else { return wanted.filter(shards.ownership.contains) }
    if schedule.stale.isEmpty { planning.beginReplanning() }
    planning.formerPlanner = takeover.formerPlanner ?? planning.formerPlanner
    for (row, schedule, isStale) in takeover.people {
      self.schedule.load(row, schedule, isStale: isStale)
    }
    outbox.acquire(takeover.orphans, nextRetries: takeover.nextRetries)
    published.countUsage(takeover.orphans.effects.usage.counts)
    shards.add(takeover.shards)
    if let cursor = takeover.analyticsCursor {
      outbox.routeAnalytics(from: cursor, now: now)
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
    // Suspects wait only after a crash. A process may join again many times without a crash, and
    // the suspects' wait must not begin again each time.
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
    try planning.recordCatalogs(of: planner, in: transaction)
    try outbox.write(orphans.effects, in: transaction)
    try outbox.moveStrays(by: outbox.dispatcher.routes, in: transaction)
    takeover.orphans.add(
      try outbox.startFallbacks(
        of: orphans.quarantined, planner: planner, now: now, in: transaction))
    let stale = try planning.hasLostZones(in: transaction) ? shards : acquisition.stale
    try transaction.forEachSchedule(of: shards.subtracting(stale)) {
      takeover.people.append(($0, $1, isStale: false))
    }
    try transaction.forEachSchedule(of: stale) { takeover.people.append(($0, $1, isStale: true)) }
    if takeover.people.contains(where: \.isStale) {
      try planning.recordStart(now, in: transaction)
      // The shards of other nodes may be planned with other catalogs or settings.
      try planning.recordFormerPlan(
        of: plans, isNeeded: fleet.contains { $0.plan.isEmpty }, in: transaction)
      try planning.record(planner, isDone: false, in: transaction)
    } else if schedule.stale.isEmpty {
      try transaction.save(plan: planner.fingerprint)
    }
    takeover.nextRetries = try transaction.nextRetries(of: outbox.dispatcher.sinks)
    takeover.analyticsCursor = try outbox.prepareAnalytics(
      by: outbox.configuration.routes, of: .shards(shards), in: transaction)
    return takeover
  }
}
