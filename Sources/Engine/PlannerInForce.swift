import Reminders
import Synchronization

/// The planner now in force, for those who read events on other threads.
final class PlannerInForce: Sendable {
  private let planner: Mutex<Planner>

  init(_ planner: Planner) {
    self.planner = Mutex(planner)
  }

  var value: Planner {
    get { planner.withLock { $0 } }
    set { planner.withLock { $0 = newValue } }
  }
}
