import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Replans recipients after the catalog or the tz database changed (rules T1, T5), and records
  /// when the last of them is done.
  func planAnew(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    guard !turn.staleRows.isEmpty else { return }
    let change = formerPlanner.map { PlannerChange(from: $0, to: turn.planner) }
    for row in turn.staleRows { try planAnew(row: row, by: change, &turn, in: transaction) }
    if turn.staleRows.count == schedule.stale.count {
      try transaction.save(plan: turn.planner.fingerprint)
      try clock.forgetRewind(in: transaction)
    }
  }

  private func planAnew(
    row: UInt32, by change: PlannerChange?, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    guard var stored = try transaction.recipient(row: row) else { return }
    try takeBack(&stored, in: transaction)
    // After a start the new catalog may be the only one known.
    rename(&stored, by: stalePlanner)
    try withdrawRemoved(&stored, by: change, &turn, in: transaction)
    // Due occurrences are still decided as they were planned.
    let former = PlanningContext(facts: stored.recipient.facts, planner: stalePlanner)
    // The stored instant follows the rules from before the start; by the current ones it may be
    // past.
    let due = areZonesNew ? stored.recipient.schedule(in: former).due : stored.due
    if let due, due <= turn.now {
      try fire(&stored, knowing: former, &turn, in: transaction)
    }
    let before = planned(stored.recipient, stalePlanner, &turn)
    rename(&stored, by: turn.planner)
    let recorder = PlanningOverrun.Recorder()
    let (ended, schedule, zoneFault) = PlanningOverrun.$recorder.withValue(recorder) {
      stored.recipient.rewind(to: turn.now, planner: turn.planner)
      let ended = stored.recipient.replan(from: stalePlanner, to: turn.planner, now: turn.now)
      let context = PlanningContext(facts: stored.recipient.facts, planner: turn.planner)
      return (ended, stored.recipient.schedule(in: context), context.zoneFault)
    }
    if let overrun = recorder.take() {
      let retry = try setAside(&stored, reporting: Intake(), overrun, &turn, in: transaction)
      return try keep([stored], [retry], &turn, in: transaction)
    }
    try record(ended, of: &stored, by: stalePlanner, &turn, in: transaction)
    if let before { countMoved(stored.recipient, from: before, &turn) }
    if let zoneFault { turn.lostZones.add(zoneFault, recipients: 1) }
    try keep([stored], [schedule], &turn, in: transaction)
  }

  private func rename(_ stored: inout StoredRecipient, by planner: Planner) {
    if stored.recipient.rename(by: planner.catalog.renaming) { stored.hasNews = true }
  }

  /// Records the occurrences that another catalog has ended.
  ///
  /// - Parameter former: the planner that planned them.
  func record(
    _ ended: [Firing], of stored: inout StoredRecipient, by former: Planner, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard !ended.isEmpty else { return }
    let contexts = [former, turn.planner].map {
      PlanningContext(facts: stored.recipient.facts, planner: $0)
    }
    var fired: [Fired] = []
    for firing in ended {
      let context = contexts.first { $0.catalog.reminder(firing.reminder) != nil }
      if let context { stored.add(firing, at: 0, context, &fired) }
    }
    var batch = [stored]
    let records = fired.compactMap { NotificationRecord($0, row: stored.row) }
    try record(fired, records, of: &batch, &turn, in: transaction)
    stored = batch[0]
    turn.recorded(ended, of: stored.row)
  }

  /// Adds the counts of a committed cycle.
  func countPlanning(_ turn: Turn) {
    for occurrences in turn.ended { ended.add(occurrences) }
    lostZones.add(turn.lostZones)
    zoneUpdate?.add(turn.zoneUpdate)
  }

  /// Reports the effects of a planning once all recipients are replanned.
  func concludePlanning() {
    guard schedule.stale.isEmpty else { return }
    concludeEnded()
    concludeZones()
  }

  // MARK: - Change of the tz database

  /// Begins to count the effects of other zone rules. All recipients are counted again.
  func noteZones(of planner: Planner) {
    guard planner.zones.generation != self.planner.zones.generation else {
      zoneUpdate?.forgetCounts()
      return
    }
    let changes = planner.zones.changes(since: self.planner.zones)
    zoneUpdate = ZoneUpdate(
      version: planner.zones.version, zones: changes.union(zoneUpdate?.zones ?? []))
  }

  /// The instants of the pending occurrences of a recipient whose zone's rules have changed; nil
  /// for others.
  private func planned(
    _ recipient: Recipient, _ planner: Planner, _ turn: inout Turn
  ) -> [PendingPlace: Instant]? {
    guard let zoneUpdate else { return nil }
    turn.zoneUpdate.recipients += 1
    let zone = recipient.facts.zoneName ?? turn.planner.defaultZone.name
    guard zoneUpdate.zones.contains(zone) else { return nil }
    turn.zoneUpdate.affected += 1
    return instants(recipient, planner, turn.now)
  }

  private func countMoved(
    _ recipient: Recipient, from before: [PendingPlace: Instant], _ turn: inout Turn
  ) {
    for (place, instant) in instants(recipient, turn.planner, turn.now) {
      if let old = before[place], old != instant { turn.zoneUpdate.moved += 1 }
    }
  }

  private func instants(
    _ recipient: Recipient, _ planner: Planner, _ now: Instant
  ) -> [PendingPlace: Instant] {
    let pending = recipient.pending(now: now, planner: planner)
    return Dictionary(pending.map { (PendingPlace($0), $0.planned) }) { first, _ in first }
  }

  /// Whether the tz database has lost the zone of a recipient, or the default zone (rule T4).
  func hasLostZones(in transaction: any StoreWriter) throws -> Bool {
    let zones = planner.zones
    // The rules of a zone take 20 kB once they are read, so only those in use are.
    return try zones.fault(of: planner.defaultZone.name) != nil
      || !transaction.areReportedZones(among: zones.names) { zones.fault(of: $0) == nil }
  }

  /// Reports lost zones once their recipients are counted.
  func noteLostZones() {
    var update = ZoneUpdate(version: planner.zones.version, zones: [])
    update.isOfStart = true
    zoneUpdate = update
  }

  private func concludeZones() {
    guard var update = zoneUpdate else { return }
    zoneUpdate = nil
    update.lost = lostZones
    if !update.isOfStart || !lostZones.isEmpty { actions.report(update) }
  }
}

/// Identifies a pending occurrence of a recipient.
private struct PendingPlace: Hashable {
  let reminder: Symbol
  let key: Int64
  let channelGroup: ChannelGroup

  init(_ pending: Pending) {
    (reminder, key, channelGroup) = (pending.reminder, pending.key, pending.channelGroup)
  }
}
