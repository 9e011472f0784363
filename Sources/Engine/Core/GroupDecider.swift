import CivilTime
import Dispatch
import Reminders
import Store
import Synchronization
import Systemd

/// Recipients whose turn it is, and what comes of it: decided by their facts, without a store, so
/// that any thread can do it.
struct FiringGroup: Sendable {
  let planner: Planner
  let now: Instant
  var recipients: [StoredRecipient]
  private(set) var fired: [Fired] = []
  private(set) var schedules: [Schedule] = []

  init(_ recipients: consuming [StoredRecipient], planner: Planner, now: Instant) {
    self.planner = planner
    self.now = now
    self.recipients = recipients
  }

  /// Fires what is due for each of them (rule T7); to be called once.
  mutating func decide() {
    fired.reserveCapacity(recipients.count)
    schedules.reserveCapacity(recipients.count)
    for index in recipients.indices {
      let context = PlanningContext(facts: recipients[index].recipient.facts, planner: planner)
      schedules.append(recipients[index].fire(at: index, context, now, &fired))
    }
  }
}

/// Decides one group on a thread of its own while the engine's thread writes the one before, so
/// that a crowd has two processors. What comes of it is the same.
final class GroupDecider: Sendable {
  private struct State {
    var asked: FiringGroup?
    var decided: FiringGroup?
    /// Written by now.
    var spent: FiringGroup?
  }

  private let state = Mutex(State())
  private let orders = DispatchSemaphore(value: 0)
  private let results = DispatchSemaphore(value: 0)

  init() throws(SystemCallError) {
    try OperatingSystemThread(name: "deciding") { [self] in run() }.detach()
  }

  /// Has a group decided; the one before has to be taken first.
  ///
  /// - Parameter spent: one that nobody needs any more. To let go of all that it holds takes time,
  ///   of which the engine's thread has less.
  func begin(_ group: consuming FiringGroup, lettingGoOf spent: consuming FiringGroup?) {
    var (group, spent) = (Optional(group), spent)
    state.withLock { state in
      state.asked = group.take()
      state.spent = spent.take()
    }
    orders.signal()
  }

  /// Waits for what was begun.
  func take() -> FiringGroup? {
    results.wait()
    return state.withLock { $0.decided.take() }
  }

  /// Ends the thread; nothing may be under way.
  func close() {
    orders.signal()
  }

  private func run() {
    while true {
      orders.wait()
      guard var group = state.withLock({ $0.asked.take() }) else { return }
      group.decide()
      var decided = Optional(group)
      state.withLock { $0.decided = decided.take() }
      results.signal()
      let spent = state.withLock { $0.spent.take() }
      _ = consume spent
    }
  }
}
