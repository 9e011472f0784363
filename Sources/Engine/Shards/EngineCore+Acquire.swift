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
    /// A planner with the catalogs of the last owners; nil if they had the same.
    var formerPlanner: Planner?
  }

  /// Takes over shards that this node has claimed, with everything due in them. A node whose clock
  /// is in doubt acquires none.
  ///
  /// - Returns: the acquired ones among them.
  func acquire(_ wanted: Set<Int>, now: Instant) throws(StoreError) -> Set<Int> {
    guard case .shards = shards.ownership, !isDraining, clock.isTrusted, clock.rewind == nil else {
      return []
    }
    let takeover = try store.commit { try takeOver(wanted, now: now, in: $0) }
    guard !takeover.shards.isEmpty else { return wanted.filter(shards.ownership.contains) }
    if schedule.stale.isEmpty { stalePlanner = planner }
    formerPlanner = takeover.formerPlanner ?? formerPlanner
    for (row, schedule, isStale) in takeover.people {
      self.schedule.load(row, schedule, isStale: isStale)
    }
    outbox.acquire(takeover.orphans, nextRetries: takeover.nextRetries)
    countUsage(takeover.orphans.effects.usage.counts)
    shards.add(takeover.shards)
    if let place = takeover.analyticsCursor {
      routeAnalytics(from: place, now: now)
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
    // Only a crash begins the wait of suspects: a node may join again more often than it ends.
    let suspects = try transaction.suspects(deaths: Suspicion.deathsMax - 1).filter { suspect in
      let isCulprit = suspect.deaths >= Suspicion.deathsMax
      return (isCulprit ? shards : acquisition.crashed)
        .contains(shard(of: suspect.delivery.recipient))
    }
    let orphans = Orphans(counts: acquisition.orphans, suspects: suspects, now: now)
    var takeover = Takeover(shards: shards, orphans: orphans, nextRetries: [:])
    guard !shards.isEmpty else { return takeover }
    let plans = fleet.filter { shards.contains($0.shard) }.map(\.plan)
    takeover.formerPlanner = try formerPlanner(of: plans, in: transaction)
    try keepCatalogs(of: planner, in: transaction)
    try write(orphans.effects, in: transaction)
    try moveStrays(by: outbox.routes, in: transaction)
    takeover.orphans.add(
      try startFallbacks(of: orphans.quarantined, now: now, in: transaction))
    let stale = try hasLostZones(in: transaction) ? shards : acquisition.stale
    try transaction.forEachSchedule(of: shards.subtracting(stale)) {
      takeover.people.append(($0, $1, isStale: false))
    }
    try transaction.forEachSchedule(of: stale) { takeover.people.append(($0, $1, isStale: true)) }
    if takeover.people.contains(where: \.isStale) {
      try keepPlanStart(now, in: transaction)
      // The shards of other nodes may have other plans.
      try keepFormerPlan(
        of: plans, isNeeded: fleet.contains { $0.plan.isEmpty }, in: transaction)
      try keep(planner, isDone: false, in: transaction)
    } else if schedule.stale.isEmpty {
      try transaction.save(plan: planner.fingerprint)
    }
    takeover.nextRetries = try transaction.nextRetries(of: outbox.sinks)
    takeover.analyticsCursor = try prepareAnalytics(
      by: configuration.routes, of: .shards(shards), in: transaction)
    return takeover
  }

  func shard(of recipient: String) -> Int { questions.readers.shard(of: recipient) }

  /// The shard of a recipient that another node owns; nil if this node owns it.
  func foreignShard(of recipient: String) -> Int? {
    guard case .shards(let own) = shards.ownership else { return nil }
    let shard = shard(of: recipient)
    return own.contains(shard) ? nil : shard
  }
}
