import Dispatch
import Synchronization
import Systemd

/// Decides groups on a separate thread while the engine's thread reads and writes others, so that a
/// burst of due recipients uses two processors. The results are the same as on one thread.
///
/// Each group belongs to one thread at a time, because changing a shared group would copy all of
/// it.
final class GroupDecider: Sendable {
  /// The maximum number of groups that are begun and not yet taken. While one is being decided, two
  /// others wait to be decided or taken. So neither thread waits for the other if some groups take
  /// longer.
  static let depth = 3

  private struct State {
    var queued: [FiringGroup] = []
    var decided: [FiringGroup] = []
    /// Groups whose results are written, to be freed on the decider's thread.
    var spent: [FiringGroup] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Signalled for each group that is queued or spent, and for the end of the thread.
  private let wakeUps = DispatchSemaphore(value: 0)
  /// Signalled for each group that is decided.
  private let results = DispatchSemaphore(value: 0)

  init() throws(SystemCallError) {
    try OperatingSystemThread(name: "deciding") { [self] in run() }.detach()
  }

  /// Queues a group to be decided.
  func begin(_ group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.queued.append(group) }
    }
    wakeUps.signal()
  }

  /// Waits for the oldest group that was begun and not taken, and returns it with its results.
  func take() -> FiringGroup? {
    results.wait()
    return state.withLock { $0.decided.isEmpty ? nil : $0.decided.removeFirst() }
  }

  /// Frees a group on the decider's thread, because freeing takes time and the engine's thread is
  /// busier.
  func free(_ group: consuming FiringGroup) {
    var group = Optional(consume group)
    state.withLock { state in
      if let group = group.take() { state.spent.append(group) }
    }
    wakeUps.signal()
  }

  /// Ends the thread. No group may be in progress.
  func close() {
    state.withLock { $0.isClosed = true }
    wakeUps.signal()
  }

  private func run() {
    while true {
      wakeUps.wait()
      var group = state.withLock { $0.queued.isEmpty ? nil : $0.queued.removeFirst() }
      if group == nil, state.withLock({ $0.isClosed }) { return }
      decide(&group)
      var spent: [FiringGroup] = []
      state.withLock { swap(&spent, &$0.spent) }
    }
  }

  private func decide(_ group: inout FiringGroup?) {
    guard group != nil else { return }
    group?.decide()
    state.withLock { state in
      if let group = group.take() { state.decided.append(group) }
    }
    results.signal()
  }
}
