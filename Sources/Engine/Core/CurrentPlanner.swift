package import Reminders
import Synchronization

/// The current planner, for threads that read events.
package final class CurrentPlanner: Sendable {
  private let planner: Mutex<Planner>

  package init(_ planner: Planner) {
    self.planner = Mutex(planner)
  }

  package var value: Planner {
    get { planner.withLock { $0 } }
    set { planner.withLock { $0 = newValue } }
  }
}
