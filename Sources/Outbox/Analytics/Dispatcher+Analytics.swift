package import CivilTime
package import Reminders

/// The lane of analytics events (rule M1): one, for they go to one sink.
extension Dispatcher {
  /// How many events to read behind the lane's place, to be handed over now; 0 for none.
  package func analyticsAllowance(at now: Instant) -> Int {
    guard let analytics, !paused.contains(analytics.sink) else { return 0 }
    return analytics.allowance(at: now)
  }

  func analyticsWake(now: Instant) -> Instant? {
    guard let analytics, !paused.contains(analytics.sink) else { return nil }
    return analytics.wake(now: now)
  }

  package mutating func offerAnalytics() { analytics?.offer() }

  /// Nothing more is handed over: they go to another node.
  package mutating func restAnalytics() { analytics?.rest() }

  /// Whether the sink has none that it has not answered for.
  package var isAnalyticsQuiet: Bool { analytics?.batch.isEmpty ?? true }

  package mutating func hand(_ events: [AnalyticsItem], now: Instant) {
    analytics?.hand(events, now: now)
  }

  /// What is to be written of what a sink has said; nil for a lane that is not there any more, of
  /// which another has everything again.
  package func settlement(
    of result: Result<[SinkAnswer], SinkOutage>, ofAnalytics number: Int, now: Instant
  ) -> AnalyticsSettlement? {
    guard let analytics, analytics.number == number else { return nil }
    return analytics.settlement(of: result, now: now)
  }

  package mutating func conclude(_ settlement: AnalyticsSettlement, now: Instant) {
    if analytics?.number == settlement.lane { analytics?.conclude(settlement, now: now) }
  }

  /// Goes by another route from now on, or by another sink of the same name.
  ///
  /// - Parameters:
  ///   - place: up to where events have been answered for, be it by another sink; nil without a
  ///     route.
  /// - Returns: the number of a lane that is to be closed now, and whether another has begun.
  package mutating func routeAnalytics(
    by configuration: OutboxConfiguration, from place: Int64?, now: Instant
  ) -> (closed: Int?, hasBegun: Bool) {
    let closed = analytics?.number
    guard let place, let sink = configuration.routes.analytics.flatMap({ configuration[$0] }) else {
      analytics = nil
      return (closed, false)
    }
    if analytics?.sink == sink.name, configuration.isKept(sink.name) { return (nil, false) }
    analytics = AnalyticsLane(number: laneCount, sink: sink, place: place, now: now)
    laneCount += 1
    return (closed, true)
  }
}
