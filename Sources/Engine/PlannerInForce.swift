package import Reminders
import Synchronization

/// The planner now in force, for those who read events on other threads.
package final class PlannerInForce: Sendable {
  private let planner: Mutex<Planner>

  package init(_ planner: Planner) {
    self.planner = Mutex(planner)
  }

  package var value: Planner {
    get { planner.withLock { $0 } }
    set { planner.withLock { $0 = newValue } }
  }
}
