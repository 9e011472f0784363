import Access
import CivilTime
import Outbox
import Reminders
import Synchronization

/// The latest published view. Thread-safe.
final class PublishedView: Sendable {
  private struct State {
    var view: EngineView
    /// Usage counts since the start.
    var usage: [UsageKey: Int] = [:]
    /// The counts of the last minutes.
    var activity = ActivityLog()
    var actionLinks: ActionLinks?
  }

  private let state: Mutex<State>
  /// The streams to wake at each publication.
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

  /// The activity of each of the last minutes. It is counted here, because a copy in each published
  /// view would be large.
  var activity: ActivityLog { state.withLock(\.activity) }

  /// Adds the counts of one engine cycle to the activity.
  func note(_ counters: EngineCounters, at now: Instant) {
    state.withLock { $0.activity.add(counters, at: now) }
  }

  /// Adds the new answers of the lanes' sinks to the activity.
  ///
  /// - Parameter lanes: the lanes, with the counts of their sinks' answers since the start.
  func note(_ lanes: [LaneView], at now: Instant) {
    state.withLock { state in
      for lane in lanes { state.activity.note(lane.answers, of: lane.sink.name, at: now) }
    }
  }

  /// Wakes the stream of `signal` at each publication from now on, until the watch is released.
  func watch(signal: StreamSignal) -> ViewWatch {
    ViewWatch(signal: signal, in: watchers)
  }

  func endWatches() { watchers.endAll() }

  /// The use of notifications since the start, by hour of the day: all keys have the same date. It
  /// is counted here, because a copy in each published view would be large.
  var usage: [UsageKey: Int] { state.withLock(\.usage) }

  func count(_ usage: [UsageKey: Int]) {
    state.withLock { state in
      for (key, count) in usage { state.usage[key, default: 0] += count }
    }
  }
}
