import CivilTime
import Outbox
import Reminders
import Store

/// Analytics events on their way to the sink of their route (rule M1).
extension EngineCore {
  /// Whether they are this engine's to hand over. They have one order for all recipients, so that
  /// of several nodes the one that has the first shard hands over those of all (rule M1).
  private var hasAnalytics: Bool { shards.ownership.contains(Self.analyticsShard) }

  /// The shard with which they go from node to node.
  static let analyticsShard = 0

  /// Looks for what there is, in a turn that looks for what others have left in the store, too.
  func offerAnalytics(after turn: Turn) {
    guard hasAnalytics, turn.hasAnalytics || (turn.takesSubmissions && shards.ownership != .all)
    else { return }
    outbox.offerAnalytics()
  }

  /// Hands over what comes next, if the lane is free. That the sink may have it is not on record:
  /// until it has answered, a start hands the same over again.
  func dispatchAnalytics(now: Instant) throws(StoreError) {
    let count = hasAnalytics ? outbox.analyticsAllowance(at: now) : 0
    guard count > 0, let lane = outbox.analytics else { return }
    let records = try store.commit { transaction in
      try transaction.analytics(of: nil, after: lane.place, limit: count)
    }
    let events = records.map { AnalyticsItem(instance: store.instance, $0) }
    outbox.hand(events, now: now)
    if !events.isEmpty { actions.hand(events, toLane: lane.number) }
  }

  func record(
    _ result: Result<[SinkAnswer], SinkOutage>, ofAnalytics number: Int, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    let now = turn.now
    guard let settlement = outbox.settlement(of: result, ofAnalytics: number, now: now) else {
      return
    }
    try transaction.save(analyticsPlace: settlement.place)
    for note in settlement.notes { turn.deliveryNotes.add(note) }
    turn.answers.append { [self] in outbox.conclude(settlement, now: now) }
  }

  /// Puts on record where the route begins: where one has ended that was there before, whatever
  /// its sink, and else with what is written from now on.
  ///
  /// - Parameter shards: those that are this engine's when that is on disk.
  /// - Returns: nil without a route, and where they are another node's.
  func prepareAnalytics(
    by routes: Routes, of shards: Ownership, in transaction: any StoreWriter
  ) throws -> Int64? {
    guard shards.contains(Self.analyticsShard) else { return nil }
    let before = try transaction.analyticsPlace()
    guard routes.analytics != nil else {
      if before != nil { try transaction.save(analyticsPlace: nil) }
      return nil
    }
    let place = try before ?? transaction.analyticsBacklog(after: 0, limit: 1).last
    if before == nil { try transaction.save(analyticsPlace: place) }
    return place
  }

  /// Goes by a route that is on disk.
  func routeAnalytics(from place: Int64?, now: Instant) {
    let change = outbox.routeAnalytics(
      by: outboxConfiguration(of: configuration), from: place, now: now)
    if let closed = change.closed { close(lane: closed) }
    guard change.hasBegun, let lane = outbox.analytics else { return }
    let sink = configuration.sinks.first { $0.name == lane.sink } as? any AnalyticsSink
    sinks[lane.number] = sink
    guard let sink else { return }
    actions.openAnalytics(
      lane: lane.number, for: sink, configuration.limits[lane.sink] ?? SinkLimits())
  }
}
