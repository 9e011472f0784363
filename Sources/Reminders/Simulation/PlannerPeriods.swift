package import CivilTime

/// The planners that decided in the past, each from an instant until the next one.
package struct PlannerPeriods: Sendable {
  /// The first planner, which also stands for the unknown planners before it.
  private let first: Planner
  /// The later planners and their first instants, in order.
  private(set) var changes: [(start: Instant, planner: Planner)]

  package init(first: Planner, changes: [(start: Instant, planner: Planner)] = []) {
    (self.first, self.changes) = (first, changes)
  }

  /// Returns the planner that decided at an instant.
  package func planner(at instant: Instant) -> Planner {
    changes.last { $0.start <= instant }?.planner ?? first
  }

  /// Replaces all planners from an instant on.
  mutating func replace(from instant: Instant, by planner: Planner) {
    changes.removeAll { $0.start >= instant }
    changes.append((instant, planner))
  }
}
