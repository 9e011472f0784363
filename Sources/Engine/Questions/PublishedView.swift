import Access
import CivilTime
import Outbox
import Reminders
import Synchronization

/// The latest published view. Thread-safe.
final class PublishedView: Sendable {
  private struct State {
    var view: EngineView
    var usage: [UsageKey: Int] = [:]
    var activity = ActivityLog()
    var actionLinks: ActionLinks?
  }

  private let state: Mutex<State>
  private let watchers = ViewWatchers()
  /// The cached first notifications, for the status.
  let firstSent = FirstSent()

  init(_ view: EngineView) {
    state = Mutex(State(view: view))
  }

  var view: EngineView {
    get { state.withLock(\.view) }
    set {
      state.withLock { $0.view = newValue }
      watchers.wakeAll()
    }
  }

  /// Creates the links of actions; nil without a public address.
  var actionLinks: ActionLinks? {
    get { state.withLock(\.actionLinks) }
    set { state.withLock { $0.actionLinks = newValue } }
  }

  /// The activity of each of the last minutes; counted here for the same reason as `usage`.
  var activity: ActivityLog { state.withLock(\.activity) }

  /// - Parameter counters: the counts of one cycle.
  func note(_ counters: EngineCounters, at now: Instant) {
    state.withLock { $0.activity.add(counters, at: now) }
  }

  /// - Parameter lanes: the lanes, with their sinks' answers so far.
  func note(_ lanes: [LaneView], at now: Instant) {
    state.withLock { state in
      for lane in lanes { state.activity.note(lane.answers, of: lane.sink.name, at: now) }
    }
  }

  /// Signals each publication from now on, until the watch is released.
  func watch(signal: StreamSignal) -> ViewWatch {
    ViewWatch(signal: signal, in: watchers)
  }

  func endWatches() { watchers.endAll() }

  /// The use of notifications since the start, all on one date. It is counted here, because a copy
  /// in each published view would be large.
  var usage: [UsageKey: Int] { state.withLock(\.usage) }

  func count(_ usage: [UsageKey: Int]) {
    state.withLock { state in
      for (key, count) in usage { state.usage[key, default: 0] += count }
    }
  }
}
