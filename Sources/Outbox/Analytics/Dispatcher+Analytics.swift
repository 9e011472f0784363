package import CivilTime
import Reminders

/// The lane of analytics events (rule M1). There is one lane, because one sink gets these events.
extension Dispatcher {
  /// Returns the number of events to read after the lane's cursor and dispatch now; 0 for none.
  package func analyticsAllowance(at now: Instant) -> Int {
    guard let analytics, !paused.contains(analytics.sink) else { return 0 }
    return analytics.allowance(at: now)
  }

  /// Returns the instant at which the lane needs a cycle; nil if it needs none, or has no sink.
  func analyticsWake(now: Instant) -> Instant? {
    guard let analytics, !paused.contains(analytics.sink) else { return nil }
    return analytics.wake(now: now)
  }

  /// Makes the lane look for new events.
  package mutating func offerAnalytics() { analytics?.offer() }

  /// Stops dispatching, because another node dispatches from now on.
  package mutating func stopAnalytics() { analytics?.stopReading() }

  /// Whether no event is in flight.
  package var isAnalyticsQuiet: Bool { analytics?.batch.isEmpty ?? true }

  /// Begins a batch of events read after the lane's cursor.
  package mutating func dispatch(_ events: [AnalyticsItem], now: Instant) {
    analytics?.dispatch(events, now: now)
  }

  /// Returns the effects of a sink's answer; nil for a closed lane, whose successor dispatches its
  /// events again.
  package func settlement(
    of result: Result<[SinkAnswer], SinkOutage>, ofAnalytics number: Int, now: Instant
  ) -> AnalyticsSettlement? {
    guard let analytics, analytics.number == number else { return nil }
    return analytics.settlement(of: result, now: now)
  }

  /// Applies a settlement that was committed, unless its lane was closed.
  package mutating func conclude(_ settlement: AnalyticsSettlement, now: Instant) {
    if analytics?.number == settlement.lane { analytics?.conclude(settlement, now: now) }
  }

  /// Applies another route, or a new sink of the same name.
  ///
  /// - Parameters:
  ///   - cursor: the stored cursor of analytics events, even if they had another sink; nil if they
  ///     have no route.
  /// - Returns: the number of the lane to close, and whether a new one was created.
  package mutating func routeAnalytics(
    by configuration: OutboxConfiguration, from cursor: Int64?, now: Instant
  ) -> (closed: Int?, hasBegun: Bool) {
    let closed = analytics?.number
    guard let cursor,
      let sink = configuration.routes.analytics.flatMap({ configuration[$0] })
    else {
      analytics = nil
      return (closed, false)
    }
    if analytics?.sink == sink.name, configuration.isUnchanged(sink.name) { return (nil, false) }
    analytics = AnalyticsLane(number: laneCount, sink: sink, cursor: cursor, now: now)
    laneCount += 1
    return (closed, true)
  }
}
