package import CivilTime
package import Reminders

/// The lanes of analytics events (rules M4, M6): one for each route, because a route has one sink.
extension Dispatcher {
  /// Returns the number of events to dispatch now after a lane's cursor; 0 for none.
  package func analyticsAllowance(of route: AnalyticsRoute, at now: Instant) -> Int {
    guard let lane = analytics[route], !paused.contains(lane.sink) else { return 0 }
    return lane.allowance(at: now)
  }

  /// Returns the earliest instant at which a lane needs an engine cycle; nil if no lane needs one.
  func analyticsWake(now: Instant) -> Instant? {
    analytics.values.filter { !paused.contains($0.sink) }.compactMap { $0.wake(now: now) }.min()
  }

  /// Makes the lanes look for new events.
  package mutating func offerAnalytics() { changeAnalytics { $0.offer() } }

  /// Stops dispatching, because another node dispatches from now on.
  package mutating func stopAnalytics() { changeAnalytics { $0.stopReading() } }

  mutating func changeAnalytics(_ change: (inout AnalyticsLane) -> Void) {
    for route in analytics.keys {
      if var lane = analytics[route] {
        change(&lane)
        analytics[route] = lane
      }
    }
  }

  /// Whether no event is in flight.
  package var hasNoAnalyticsBatch: Bool { analytics.values.allSatisfy(\.batch.isEmpty) }

  /// Begins a batch of events read after the cursor of the route's lane.
  ///
  /// - Parameter last: as for `AnalyticsLane.dispatch`.
  package mutating func dispatch(
    _ events: [AnalyticsItem], on route: AnalyticsRoute, readThrough last: Int64?, now: Instant
  ) {
    analytics[route]?.dispatch(events, readThrough: last, now: now)
  }

  /// Returns the route of a lane; nil for a closed lane, whose successor dispatches its events
  /// again.
  package func analyticsRoute(ofLane number: Int) -> AnalyticsRoute? {
    analytics.first { $0.value.number == number }?.key
  }

  /// Returns the effects of a sink's answer; nil if there is no such lane.
  package func settlement(
    of result: Result<[SinkAnswer], SinkOutage>, on route: AnalyticsRoute, now: Instant
  ) -> AnalyticsSettlement? {
    analytics[route]?.settlement(of: result, now: now)
  }

  /// Applies a settlement that was committed, unless its lane was closed.
  package mutating func conclude(_ settlement: AnalyticsSettlement, now: Instant) {
    guard let route = analyticsRoute(ofLane: settlement.lane) else { return }
    analytics[route]?.conclude(settlement, now: now)
  }

  /// Applies other routes, or new sinks of the same names. The lane of analytics begins again at an
  /// earlier cursor if it has to send outcomes whose route ends.
  ///
  /// - Parameters:
  ///   - cursors: the stored cursors of the routes, even if they had other sinks.
  /// - Returns: the numbers of the lanes to close, and the new lanes.
  package mutating func routeAnalytics(
    by configuration: OutboxConfiguration, from cursors: [AnalyticsRoute: Int64], now: Instant
  ) -> (closed: [Int], begun: [AnalyticsLane]) {
    var closed: [Int] = []
    var begun: [AnalyticsLane] = []
    let endsOutcomes = analytics[.outcomes] != nil && configuration.routes.outcomes == nil
    for route in AnalyticsRoute.allCases {
      let previous = analytics[route]
      let sink = configuration.routes.sink(of: route).flatMap { configuration[$0] }
      guard let cursor = cursors[route], let sink else {
        analytics[route] = nil
        if let previous { closed.append(previous.number) }
        continue
      }
      if let previous, previous.sink == sink.name, configuration.isUnchanged(sink.name),
        !endsOutcomes || previous.cursor <= cursor
      {
        continue
      }
      let lane = AnalyticsLane(number: laneCount, sink: sink, cursor: cursor, now: now)
      laneCount += 1
      analytics[route] = lane
      begun.append(lane)
      if let previous { closed.append(previous.number) }
    }
    return (closed, begun)
  }
}
