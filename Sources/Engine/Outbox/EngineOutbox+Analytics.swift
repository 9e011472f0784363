import CivilTime
import Outbox
import Reminders
import Store

/// Dispatches analytics events to the sink of their route (rule M1).
extension EngineOutbox {
  /// Whether this engine dispatches analytics events. They have one order for all recipients, so in
  /// a fleet the owner of the first shard dispatches all of them (rule M1).
  private var dispatchesAnalytics: Bool { shards.ownership.contains(Self.analyticsShard) }

  /// The shard whose owner dispatches analytics events.
  static let analyticsShard = 0

  /// Makes the lane look for new events after a cycle that wrote some. In a fleet it also looks
  /// after each poll for submissions, because other nodes may have written events.
  func offerAnalytics(after effects: DeliveryEffects, of work: TurnWork) {
    guard dispatchesAnalytics,
      effects.hasAnalytics || (work.readsSubmissions && shards.ownership != .all)
    else { return }
    dispatcher.offerAnalytics()
  }

  /// Dispatches the next events if the lane is free. The dispatch is not recorded: until the sink
  /// has answered, a start dispatches the same events again.
  func dispatchAnalytics(now: Instant) throws(StoreError) {
    let count = dispatchesAnalytics ? dispatcher.analyticsAllowance(at: now) : 0
    guard count > 0, let lane = dispatcher.analytics else { return }
    let records = try store.commit { transaction in
      try transaction.analytics(of: nil, after: lane.cursor, limit: count)
    }
    let events = records.map { AnalyticsItem(instance: store.instance, $0) }
    dispatcher.dispatch(events, now: now)
    if !events.isEmpty { actions.dispatch(events, toLane: lane.number) }
  }

  /// Records the answers of a lane's sink to analytics events.
  func record(
    _ result: Result<[SinkAnswer], SinkOutage>, ofAnalytics lane: Int, _ turn: inout Turn
  ) throws {
    let now = turn.now
    guard let settlement = dispatcher.settlement(of: result, ofAnalytics: lane, now: now) else {
      return
    }
    try turn.transaction.save(analyticsCursor: settlement.cursor)
    for note in settlement.notes { turn.effects.outbox.notes.add(note) }
    turn.effects.answers.append { [self] in dispatcher.conclude(settlement, now: now) }
  }

  /// Records the initial cursor of the route: the cursor of an earlier route to any sink, otherwise
  /// the newest event.
  ///
  /// - Parameter shards: the shards that this engine owns after the commit.
  /// - Returns: the cursor; nil if there is no route, or if another node dispatches the events.
  func prepareAnalytics(
    by routes: Routes, of shards: Ownership, in transaction: any StoreWriter
  ) throws -> Int64? {
    guard shards.contains(Self.analyticsShard) else { return nil }
    let previous = try transaction.analyticsCursor()
    guard routes.analytics != nil else {
      if previous != nil { try transaction.save(analyticsCursor: nil) }
      return nil
    }
    let cursor = try previous ?? transaction.analyticsBacklog(after: 0, limit: 1).last
    if previous == nil { try transaction.save(analyticsCursor: cursor) }
    return cursor
  }

  /// Applies a committed route.
  func routeAnalytics(from cursor: Int64?, now: Instant) {
    let change = dispatcher.routeAnalytics(
      by: dispatcherConfiguration(of: configuration), from: cursor, now: now)
    if let closed = change.closed { close(lane: closed) }
    guard change.hasBegun, let lane = dispatcher.analytics else { return }
    let sink = configuration.sinks.first { $0.name == lane.sink } as? any AnalyticsSink
    sinks[lane.number] = sink
    guard let sink else { return }
    actions.openAnalytics(
      lane: lane.number, for: sink, configuration.limits[lane.sink] ?? SinkLimits())
  }
}
