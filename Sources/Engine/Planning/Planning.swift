import CivilTime
import Outbox
import Reminders
import Store

/// The current planner, and the progress of replanning the recipients whose schedules still follow
/// a previous planner.
final class Planning {
  /// The current planner.
  private(set) var planner: Planner
  /// The number of previous planners since the start.
  private(set) var previousCount = 0
  /// The planner that computed the schedules of the stale recipients, which have to be replanned.
  private(set) var stalePlanner: Planner
  /// A planner with the catalogs from before the start; nil if the catalogs are the same, or
  /// once all recipients are replanned.
  var formerPlanner: Planner?
  /// The occurrences that a start with other catalogs has ended so far.
  var ended = EndedReminders()
  /// The effects so far of a change of the tz database, while it causes replanning; otherwise nil.
  var zoneUpdate: ZoneUpdate?
  /// The lost zones of the recipients that were replanned.
  private(set) var lostZones = LostZones()
  /// Whether the plan of the stored schedules differs from the current plan only in the tz
  /// database.
  private(set) var haveOnlyZonesChanged = false

  let firing: RecipientFiring
  let actions: any EngineActions

  init(_ planner: Planner, firing: RecipientFiring, actions: any EngineActions) {
    self.planner = planner
    stalePlanner = planner
    self.firing = firing
    self.actions = actions
  }

  /// At a start, compares the plan of the stored schedules with the current one, and records the
  /// current catalogs.
  ///
  /// - Parameters:
  ///   - plan: the fingerprint of the planner of the stored schedules; nil if there is none.
  ///   - hasLostZones: whether the tz database has lost zones that are used.
  func load(
    _ plan: String?, hasLostZones: Bool, now: Instant, in transaction: any StoreWriter
  ) throws {
    haveOnlyZonesChanged =
      plan.flatMap { PlanFingerprint($0) }.map {
        PlanFingerprint.differences(of: [$0, PlanFingerprint(planner)]) == [.zones]
      } ?? false
    if hasLostZones { recordLostZones() }
    formerPlanner = try formerPlanner(of: [plan].compactMap(\.self), in: transaction)
    try recordCatalogs(of: planner, now: now, in: transaction)
  }

  // MARK: - Replanning

  /// Makes the current planner the one that stale recipients' schedules were computed with. Called
  /// when the first recipients become stale.
  func beginReplanning() { stalePlanner = planner }

  /// Plans with another planner from now on. The caller makes all recipients stale.
  ///
  /// - Parameter isReplanning: whether some recipients are stale already.
  func adopt(_ planner: Planner, isReplanning: Bool) {
    if !isReplanning { beginReplanning() }
    recordZones(of: planner)
    lostZones = LostZones()
    haveOnlyZonesChanged = false
    self.planner = planner
    previousCount += 1
    // All recipients are counted again. Ended occurrences that were recorded stay counted.
    ended.forgetPlanned()
  }

  /// Replans the engine cycle's stale recipients after the catalog or the tz database changed
  /// (rules T1, T5).
  ///
  /// - Parameter rewind: the instant to which the recipients return after the clock was set back;
  ///   nil if the clock was not set back.
  func replan(_ turn: inout Turn, rewind: Rewind?) throws {
    let change = formerPlanner.map { PlannerChange(from: $0, to: turn.planner) }
    for row in turn.work.staleRows { try replan(row: row, by: change, rewind, &turn) }
  }

  private func replan(
    row: UInt32, by change: PlannerChange?, _ rewind: Rewind?, _ turn: inout Turn
  ) throws {
    guard var stored = try turn.transaction.recipient(row: row) else { return }
    if let rewind { try self.rewind(&stored, to: rewind, in: turn.transaction) }
    // After a start, `stalePlanner` has the new catalog, because the former one may be unknown.
    rename(&stored, by: stalePlanner)
    try withdrawRemoved(&stored, by: change, &turn)
    // Due occurrences are still decided as they were planned.
    let former = PlanningContext(facts: stored.recipient.facts, planner: stalePlanner)
    // The stored instant follows the zone rules from before the start. By the current rules the
    // occurrence may be due earlier.
    let due = haveOnlyZonesChanged ? stored.recipient.schedule(in: former).due : stored.due
    if let due, due <= turn.now {
      try firing.fire(&stored, knowing: former, &turn)
    }
    let previousInstants = plannedInstants(of: stored.recipient, stalePlanner, &turn)
    rename(&stored, by: turn.planner)
    let recorder = PlanningOverrun.Recorder()
    let (ended, schedule, zoneFault) = PlanningOverrun.$recorder.withValue(recorder) {
      stored.recipient.rewind(to: turn.now, planner: turn.planner)
      let ended = stored.recipient.replan(from: stalePlanner, to: turn.planner, now: turn.now)
      let context = PlanningContext(facts: stored.recipient.facts, planner: turn.planner)
      return (ended, stored.recipient.schedule(in: context), context.zoneFault)
    }
    if let overrun = recorder.take() {
      let retry = try firing.setAside(&stored, reporting: Intake(), overrun, &turn)
      return try firing.write([stored], [retry], &turn)
    }
    try record(ended, of: &stored, by: stalePlanner, &turn)
    if let previousInstants { countMoved(stored.recipient, from: previousInstants, &turn) }
    if let zoneFault { turn.effects.planning.lostZones.add(zoneFault, recipients: 1) }
    try firing.write([stored], [schedule], &turn)
  }

  /// Replaces former names of reminders in a recipient's progress and facts by the names in a
  /// planner's catalog.
  private func rename(_ stored: inout StoredRecipient, by planner: Planner) {
    if stored.recipient.rename(by: planner.catalog.renaming) { stored.hasUnsavedFacts = true }
  }

  /// Records the occurrences that another catalog has ended.
  ///
  /// - Parameter former: the planner that planned them.
  func record(
    _ ended: [Firing], of stored: inout StoredRecipient, by former: Planner, _ turn: inout Turn
  ) throws {
    guard !ended.isEmpty else { return }
    let contexts = [former, turn.planner].map {
      PlanningContext(facts: stored.recipient.facts, planner: $0)
    }
    var fired: [FiredOccurrence] = []
    for firing in ended {
      let context = contexts.first { $0.catalog.reminder(firing.reminder) != nil }
      if let context { stored.add(firing, at: 0, context, &fired) }
    }
    var batch = [stored]
    let records = fired.compactMap { NotificationRecord($0, row: stored.row) }
    try firing.record(fired, records, of: &batch, &turn)
    stored = batch[0]
    turn.effects.planning.addRecorded(ended, of: stored.row)
  }

  /// Adds the counts of a committed cycle.
  func count(_ effects: PlanningEffects) {
    for occurrences in effects.ended { ended.add(occurrences) }
    lostZones.add(effects.lostZones)
    zoneUpdate?.add(effects.zoneUpdate)
  }

  /// Reports the effects of replanning once all recipients are replanned.
  func conclude() {
    concludeEnded()
    concludeZones()
  }

  // MARK: - Records

  /// Records that all schedules are planned with `planner`. If `isDone` is false, records instead
  /// that a restart has to replan them.
  func record(
    _ planner: Planner, isDone: Bool, now: Instant, in transaction: any StoreWriter
  ) throws {
    if !isDone { try recordFormerPlan(in: transaction) }
    try recordCatalogs(of: planner, now: now, in: transaction)
    try transaction.save(plan: isDone ? planner.fingerprint : "")
  }

  /// Records that recipients are planned with other catalogs or zones from `now` on.
  func recordStart(_ now: Instant, in transaction: any StoreWriter) throws {
    try transaction.saveNote(PlanNotes.since, "\(now.milliseconds)")
  }

  /// Returns `planner` with the current tz database, which may have changed since `planner` was
  /// created. Returns `planner` unchanged if that database lacks its default zone.
  func updated(_ planner: Planner) -> Planner {
    let zones = self.planner.zones
    guard planner.zones.generation < zones.generation,
      let zone = try? zones.zone(named: planner.defaultZone.name)
    else { return planner }
    return planner.renewed(zones: zones, defaultZone: zone)
  }
}
