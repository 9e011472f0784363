import CivilTime
import Outbox
import Reminders
import Store

/// Adoption of other sinks and routes, at a start and at run time (rule S1). The outbox decides
/// about the lanes; this code writes its decisions and applies them.
extension EngineOutbox {
  /// Restores the lanes from their cursors, and continues deliveries that were in flight at the end
  /// of the previous run.
  ///
  /// - Returns: the orphans, which are these deliveries, to be counted and reported when they are
  ///   on disk.
  func load(
    _ configuration: RuntimeConfiguration, planner: Planner, now: Instant,
    in transaction: any StoreWriter
  ) throws -> Orphans {
    var orphans = try takeOrphans(now: now, in: transaction)
    dispatcher = try Dispatcher(
      restoring: transaction.lanes(), last: transaction.lastNotification, now: now,
      count: transaction.notificationCount(after:))
    var succession = try succession(to: configuration, now: now, in: transaction)
    for state in succession.lanes {
      let (sink, lane) = (state.sink, state.lane)
      let hasDeleted = try transaction.deleteRetries(
        of: sink, after: lane.cursor, on: lane.channels)
      if hasDeleted { succession.recheckGates(of: sink) }
    }
    succession.setNextRetries(try transaction.nextRetries(of: succession.lanes.map(\.sink)))
    _ = dispatcher.adopt(succession)
    dispatcher.count(orphans)
    orphans.add(
      try startFallbacks(of: orphans.quarantined, planner: planner, now: now, in: transaction))
    dispatcher.setNextRetries(try transaction.nextRetries(of: dispatcher.sinks))
    dispatcher.paused = try pausedSinks(in: transaction)
    let cursors = try prepareAnalytics(
      by: configuration.routes, of: shards.ownership, in: transaction)
    for (lane, name) in succession.begun {
      sinks[lane] = configuration.sinks.first { $0.name == name }
    }
    routeAnalytics(from: cursors, now: now)
    return orphans
  }

  /// Processes the deliveries that the previous run of the service left in flight, before lanes are
  /// created.
  private func takeOrphans(now: Instant, in transaction: any StoreWriter) throws -> Orphans {
    let wasStopRequested = try transaction.beginBoot()
    let counts = try transaction.takeOrphans(now: now, hasCrashed: !wasStopRequested)
    let suspects = try transaction.suspects(deaths: Suspicion.deathsMax - 1)
    let orphans = Orphans(counts: counts, suspects: suspects, now: now)
    try write(orphans.effects, in: transaction)
    return orphans
  }

  /// Records the lanes of another configuration, and returns the changes for `apply`.
  func succession(
    to configuration: RuntimeConfiguration, now: Instant, in transaction: any StoreWriter
  ) throws -> Succession {
    let target = dispatcherConfiguration(of: configuration)
    let recorded = try transaction.recorded(among: dispatcher.detachedNotifications(by: target))
    var succession = dispatcher.succession(
      to: target, recorded: recorded, last: transaction.lastNotification, now: now)
    try transaction.save(succession.changes)
    for move in succession.moves {
      try transaction.moveBacklog(
        of: move.channel, after: move.cursor, from: move.sink, to: move.newSink, now: now)
    }
    try transaction.deleteLanes(of: succession.deleted)
    try moveMisrouted(by: succession.routes, in: transaction)
    try transaction.save(lanes: succession.stored)
    succession.setNextRetries(try transaction.nextRetries(of: succession.lanes.map(\.sink)))
    return succession
  }

  /// Moves retries to the first sink of their channel if the channel's route no longer has their
  /// sink.
  func moveMisrouted(by routes: Routes, in transaction: any StoreWriter) throws {
    for (sink, channel, newSink) in routes.misrouted(among: try transaction.retryPairs()) {
      try transaction.moveRetries(of: sink, on: channel, to: newSink)
    }
  }

  /// Returns the part of a configuration that the dispatcher decides by.
  func dispatcherConfiguration(of configuration: RuntimeConfiguration) -> OutboxConfiguration {
    let traits = configuration.sinks.map { sink in
      SinkTraits(
        name: sink.name, window: sink.window, needsAddressee: sink.needsAddressee,
        rate: configuration.limits[sink.name]?.rate,
        // The seed only spreads the lanes in time, so two lanes may have the same seed.
        seed: stableHash(store.instance + sink.name))
    }
    return OutboxConfiguration(
      sinks: traits, routes: configuration.routes, unchanged: configuration.unchangedSinks)
  }

  /// Applies lanes that are on disk.
  func apply(_ succession: Succession, _ configuration: RuntimeConfiguration) {
    let closed = dispatcher.adopt(succession)
    for (lane, name) in succession.begun {
      guard let sink = configuration.sinks.first(where: { $0.name == name }) else { continue }
      sinks[lane] = sink
      actions.open(lane: lane, for: sink, configuration.limits[name] ?? SinkLimits())
    }
    for state in dispatcher.leaving { actions.retire(lane: state.number) }
    for lane in closed { close(lane: lane) }
  }

  /// Closes the lane of a sink that is no longer current and has answered everything.
  func close(lane: Int) {
    sinks[lane] = nil
    actions.close(lane: lane)
  }
}
