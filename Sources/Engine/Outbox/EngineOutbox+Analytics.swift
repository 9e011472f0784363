import CivilTime
import Outbox
import Reminders
import Store

/// Dispatches analytics events to the sinks of their routes (rules M4, M6).
extension EngineOutbox {
  /// Whether this engine dispatches analytics events. All recipients' events have one order, so in
  /// a fleet the owner of the first shard dispatches all of them (rule M1).
  private var dispatchesAnalytics: Bool { shards.ownership.contains(Self.analyticsShard) }

  /// The shard whose owner dispatches analytics events.
  static let analyticsShard = 0

  /// Makes the lanes look for new events after an engine cycle that wrote some. In a fleet they
  /// also look after each poll for submissions, because other nodes may have written events.
  func offerAnalytics(after effects: DeliveryEffects, of work: TurnWork) {
    guard dispatchesAnalytics,
      effects.hasAnalytics || (work.readsSubmissions && shards.ownership != .all)
    else { return }
    dispatcher.offerAnalytics()
  }

  /// Dispatches the next events of each free lane. The dispatch is not recorded: until the sink has
  /// answered, a start dispatches the same events again.
  func dispatchAnalytics(now: Instant) throws(StoreError) {
    guard dispatchesAnalytics else { return }
    for route in AnalyticsRoute.allCases { try dispatchAnalytics(on: route, now: now) }
  }

  private func dispatchAnalytics(
    on route: AnalyticsRoute, now: Instant
  ) throws(StoreError) {
    let count = dispatcher.analyticsAllowance(of: route, at: now)
    guard count > 0, let lane = dispatcher.analytics[route] else { return }
    let part = dispatcher.routes.part(of: route)
    let (records, last) = try store.commit { transaction in
      let records = try transaction.analytics(
        of: nil, after: lane.cursor, limit: part == .all ? count : AnalyticsLane.window)
      let carried = Array(records.lazy.filter { part.contains($0.event) }.prefix(count))
      let last = records.last?.number
      if carried.isEmpty, let last, Self.isFar(last, from: lane.cursor) {
        try transaction.save(analyticsCursor: last, of: route)
      }
      return (carried, last)
    }
    let events = records.map { AnalyticsItem(instance: store.instance, $0) }
    dispatcher.dispatch(events, on: route, readThrough: last, now: now)
    if !events.isEmpty { actions.dispatch(events, toLane: lane.number) }
  }

  /// Returns whether to record a cursor that has moved over events of another route. Recording it
  /// lets a start read few of these events again, and lets retention remove them.
  private static func isFar(_ cursor: Int64, from previous: Int64) -> Bool {
    cursor / unrecordedMax != previous / unrecordedMax
  }

  /// The maximum number of events of another route that are read again after a start.
  private static let unrecordedMax: Int64 = 4_096

  /// Records the answers of a lane's sink to analytics events.
  func record(
    _ result: Result<[SinkAnswer], SinkOutage>, ofAnalytics lane: Int, _ turn: inout Turn
  ) throws {
    let now = turn.now
    guard let route = dispatcher.analyticsRoute(ofLane: lane),
      let settlement = dispatcher.settlement(of: result, on: route, now: now)
    else { return }
    try turn.transaction.save(analyticsCursor: settlement.cursor, of: route)
    for note in settlement.notes { turn.effects.outbox.notes.add(note) }
    turn.effects.answers.append { [self] in dispatcher.conclude(settlement, now: now) }
  }

  /// Records the initial cursors of the routes. A route continues from the cursor of an earlier
  /// route to any sink, or else begins after the newest event. A new route of outcomes begins at
  /// the cursor of the route of analytics, which sent outcomes before. If the route of outcomes is
  /// removed, the route of analytics sends them again, from the earlier of the two cursors.
  ///
  /// - Parameter shards: the shards that this engine owns after the commit.
  /// - Returns: the cursors; empty if there are no routes, or if another node dispatches.
  func prepareAnalytics(
    by routes: Routes, of shards: Ownership, in transaction: any StoreWriter
  ) throws -> [AnalyticsRoute: Int64] {
    guard shards.contains(Self.analyticsShard) else { return [:] }
    var previous = try transaction.analyticsCursors()
    let saved = previous
    if routes.outcomes == nil, let ended = previous[.outcomes] {
      previous[.analytics] = min(previous[.analytics] ?? ended, ended)
    }
    var cursors: [AnalyticsRoute: Int64] = [:]
    for route in AnalyticsRoute.allCases {
      if routes.sink(of: route) != nil {
        cursors[route] =
          try previous[route] ?? previous[.analytics]
          ?? transaction.analyticsBacklog(of: .all, after: 0, limit: 1).last
      }
      guard cursors[route] != saved[route] else { continue }
      try transaction.save(analyticsCursor: cursors[route], of: route)
    }
    return cursors
  }

  /// Applies committed routes.
  func routeAnalytics(from cursors: [AnalyticsRoute: Int64], now: Instant) {
    let change = dispatcher.routeAnalytics(
      by: dispatcherConfiguration(of: configuration), from: cursors, now: now)
    for lane in change.closed { close(lane: lane) }
    for lane in change.begun {
      let sink = configuration.sinks.first { $0.name == lane.sink } as? any AnalyticsSink
      sinks[lane.number] = sink
      guard let sink else { continue }
      actions.openAnalytics(
        lane: lane.number, for: sink, configuration.limits[lane.sink] ?? SinkLimits())
    }
  }
}
