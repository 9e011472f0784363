/// A route of analytics events (rules M4, M6). Each has its own sink, and its own cursor: the
/// position up to which the sink has accepted events. Names are stored: never rename them.
package enum AnalyticsRoute: String, CaseIterable, Sendable {
  /// The route of all analytics events, or of all except outcomes if these have a route.
  case analytics
  /// The route of the outcomes of notifications alone.
  case outcomes
}

/// A part of the analytics events.
package enum AnalyticsPart: Hashable, Sendable {
  case all, outcomes, others

  package func contains(_ event: AnalyticsEvent) -> Bool {
    switch self {
    case .all: true
    case .outcomes: event.name == NotificationOutcome.name
    case .others: event.name != NotificationOutcome.name
    }
  }
}
