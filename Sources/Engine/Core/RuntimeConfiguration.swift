package import Outbox
package import Reminders
package import Store

/// The parts of the configuration that may change at run time (rule S1).
package struct RuntimeConfiguration: Sendable {
  package var planner: Planner
  package var sinks: [any Sink]
  package var routes: Routes
  /// The limits of sinks by name.
  package var limits: [String: SinkLimits]
  /// How long the store keeps data; nil for no limit.
  package var retention: Retention?
  /// The names of the sinks that the reload leaves unchanged.
  package var unchangedSinks: Set<String>

  package init(
    planner: Planner, sinks: [any Sink], routes: Routes, limits: [String: SinkLimits] = [:],
    retention: Retention? = nil, unchangedSinks: Set<String> = []
  ) {
    self.planner = planner
    self.sinks = sinks
    self.routes = routes
    self.limits = limits
    self.retention = retention
    self.unchangedSinks = unchangedSinks
  }
}
