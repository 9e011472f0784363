package import Delivery
package import Reminders
package import Store

/// What the engine goes by that may change while it runs (rule S1).
package struct Arrangement: Sendable {
  package var planner: Planner
  package var sinks: [any Sink]
  package var routes: Routes
  /// By the sinks' names.
  package var limits: [String: SinkLimits]
  /// For how long the store keeps what; nil for good.
  package var retention: Retention?
  /// The names of the sinks that are those of before.
  package var kept: Set<String>

  package init(
    planner: Planner, sinks: [any Sink], routes: Routes, limits: [String: SinkLimits] = [:],
    retention: Retention? = nil, kept: Set<String> = []
  ) {
    self.planner = planner
    self.sinks = sinks
    self.routes = routes
    self.limits = limits
    self.retention = retention
    self.kept = kept
  }
}
