import CivilTime
import Outbox
import Reminders
import Store

/// Other sinks and routes than before: at a start, and while the service runs (rule S1). The outbox
/// decides what becomes of the lanes, here it is written and taken.
extension EngineCore {
  /// Makes the lanes, each from where it was, and lets what the sinks of before have left go on.
  ///
  /// - Returns: what they have left, to be counted and told of when it is on disk.
  func loadLanes(
    by configuration: RuntimeConfiguration, now: Instant, in transaction: any StoreWriter
  ) throws -> Orphans {
    var orphans = try takeOrphans(now: now, in: transaction)
    outbox = try Dispatcher(
      restoring: transaction.lanes(), last: transaction.lastNotification, now: now,
      count: transaction.notificationCount(after:))
    var succession = try succession(to: configuration, now: now, in: transaction)
    for state in succession.lanes {
      let (sink, lane) = (state.sink, state.lane)
      let hasHeld = try transaction.forgetHeld(of: sink, after: lane.place, on: lane.channels)
      if hasHeld { succession.askGates(about: sink) }
    }
    succession.note(try transaction.nextRetries(of: succession.lanes.map(\.sink)))
    _ = outbox.take(succession)
    outbox.count(orphans)
    orphans.count(try startFallbacks(of: orphans.setAside, now: now, in: transaction))
    outbox.note(try transaction.nextRetries(of: outbox.sinks))
    outbox.paused = try pausedSinks(in: transaction)
    let place = try prepareAnalytics(
      by: configuration.routes, of: shards.ownership, in: transaction)
    for (lane, name) in succession.begun {
      sinks[lane] = configuration.sinks.first { $0.name == name }
    }
    routeAnalytics(from: place, now: now)
    return orphans
  }

  /// Takes in what the start before has left with sinks, before lanes are made.
  private func takeOrphans(now: Instant, in transaction: any StoreWriter) throws -> Orphans {
    let wasStopped = try transaction.beginBoot()
    let counts = try transaction.takeOrphans(now: now, isDeath: !wasStopped)
    let suspects = try transaction.suspects(deaths: Suspicion.deathsMax - 1)
    let orphans = Orphans(counts: counts, suspects: suspects, now: now)
    try write(orphans.effects, in: transaction)
    return orphans
  }

  /// Puts on record what the lanes are to be.
  func succession(
    to configuration: RuntimeConfiguration, now: Instant, in transaction: any StoreWriter
  ) throws -> Succession {
    let wanted = outboxConfiguration(of: configuration)
    let recorded = try transaction.recorded(among: outbox.detached(by: wanted))
    var succession = outbox.succession(
      to: wanted, recorded: recorded, last: transaction.lastNotification, now: now)
    try transaction.keep(succession.changes)
    for move in succession.moves {
      try transaction.moveBacklog(
        of: move.channel, after: move.place, from: move.sink, to: move.heir, now: now)
    }
    try transaction.deleteLanes(of: succession.deleted)
    try moveStrays(by: succession.routes, in: transaction)
    try transaction.save(lanes: succession.stored)
    succession.note(try transaction.nextRetries(of: succession.lanes.map(\.sink)))
    return succession
  }

  /// What is in retry with sinks that do not carry its channel begins with the first that does.
  func moveStrays(by routes: Routes, in transaction: any StoreWriter) throws {
    for (sink, channel, heir) in routes.strays(among: try transaction.carriers()) {
      try transaction.moveRetries(of: sink, on: channel, to: heir)
    }
  }

  func outboxConfiguration(of configuration: RuntimeConfiguration) -> OutboxConfiguration {
    let traits = configuration.sinks.map { sink in
      SinkTraits(
        name: sink.name, window: sink.window, needsAddressee: sink.needsAddressee,
        rate: configuration.limits[sink.name]?.rate,
        // A jitter: two lanes may have the same.
        seed: stableHash(store.instance + sink.name))
    }
    return OutboxConfiguration(
      sinks: traits, routes: configuration.routes, kept: configuration.kept)
  }

  /// Goes by lanes that are on disk.
  func take(_ succession: Succession, _ configuration: RuntimeConfiguration) {
    let closed = outbox.take(succession)
    for (lane, name) in succession.begun {
      guard let sink = configuration.sinks.first(where: { $0.name == name }) else { continue }
      sinks[lane] = sink
      actions.open(lane: lane, for: sink, configuration.limits[name] ?? SinkLimits())
    }
    for state in outbox.leaving { actions.retire(lane: state.number) }
    for lane in closed { close(lane: lane) }
  }

  /// A sink that is not in force any more has answered for all that it had.
  func close(lane: Int) {
    sinks[lane] = nil
    actions.close(lane: lane)
  }
}
