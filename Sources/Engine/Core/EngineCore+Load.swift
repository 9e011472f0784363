import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Fills the timer wheel from the store. In three cases all recipients become stale, which means
  /// that they have to be replanned:
  ///
  /// - Their schedules were planned with another catalog, default zone or tz database.
  /// - The tz database has lost a zone that is in use.
  /// - The clock was set back.
  func load(_ configuration: RuntimeConfiguration, now: Instant) throws(StoreError) {
    let initialClock = clock
    let orphans = try store.commit { transaction in
      tokens.replace(by: try transaction.tokens())
      // The unit of work may run twice.
      clock = initialClock
      schedule = ScheduleIndex(now: now)
      try clock.start(at: now, in: transaction)
      try clock.saveTrust(in: transaction)
      // A node of a fleet owns no shards yet.
      if shards.ownership == .all { try loadSchedules(now: now, in: transaction) }
      return try outbox.load(configuration, planner: planner, now: now, in: transaction)
    }
    published.countUsage(orphans.effects.usage.counts)
    for note in orphans.notes { actions.report(note) }
  }

  private func loadSchedules(now: Instant, in transaction: any StoreWriter) throws {
    let plan = try transaction.plan()
    let isPlanCurrent = plan == planner.fingerprint
    let hasLostZones = try planning.hasLostZones(in: transaction)
    try ScheduleReading().forEach(in: transaction, beside: store.readers) { row, schedule in
      let isStale = !isPlanCurrent || hasLostZones || clock.rewind != nil
      self.schedule.load(row, schedule, isStale: isStale)
    }
    try planning.load(plan, hasLostZones: hasLostZones, in: transaction)
    guard !isPlanCurrent else { return }
    try planning.record(planner, isDone: schedule.recipients == 0, in: transaction)
    try planning.recordStart(now, in: transaction)
  }
}

extension EngineCore {
  /// Whether recipients are due or have to be replanned.
  package var hasWork: Bool { schedule.hasWork }

  /// Whether no delivery and no analytics event is in flight.
  var hasNoBatch: Bool { outbox.dispatcher.hasNoBatch }

  /// Whether all due occurrences are decided, and the sinks' answers to their deliveries recorded.
  package var isIdle: Bool { !hasWork && outbox.dispatcher.isIdle }
}
