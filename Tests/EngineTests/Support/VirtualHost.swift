import CivilTime
import Synchronization
import Systemd

@testable import Engine

/// A simulated machine. Its clocks stand still until the loop sleeps, and then move to the next
/// action.
final class VirtualHost: EngineHost {
  private struct State {
    var agenda: [(at: Instant, act: @Sendable () -> Void)] = []
    var clockStepped = false
    var checkCount = 0
    var stale: Set<String> = []
  }

  let requestQueue: RequestQueue
  let boot: String?
  private let clock: VirtualClock
  let heartbeats: Heartbeats
  private let state = Mutex(State())

  init(at start: Instant, watchedBy heartbeats: Heartbeats) throws {
    let clock = VirtualClock(at: start)
    self.clock = clock
    self.heartbeats = heartbeats
    boot = "first"
    requestQueue = try RequestQueue(
      progress: heartbeats.register("engine", at: clock.uptime), uptime: { clock.uptime })
  }

  /// Creates a host for a new process on the machine of another host.
  ///
  /// - Parameter boot: The id of the machine's boot; nil if it is unknown.
  init(after other: VirtualHost, boot: String?) throws {
    let clock = other.clock
    self.clock = clock
    self.boot = boot
    heartbeats = Heartbeats()
    requestQueue = try RequestQueue(
      progress: heartbeats.register("engine", at: clock.uptime), uptime: { clock.uptime })
  }

  /// Plans an action that runs while the loop sleeps.
  ///
  /// - Parameter instant: The right time at which the action runs.
  func plan(at instant: Instant, _ act: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.agenda.append((instant, act))
      state.agenda.sort { $0.at < $1.at }
    }
  }

  /// Sets the wall clock when the right time is `instant`.
  ///
  /// - Parameter other: The new time; the right time if nil.
  func setClock(at instant: Instant, to other: Instant?) {
    plan(at: instant) { [self] in
      clock.set(to: other ?? clock.truth)
      state.withLock { $0.clockStepped = true }
    }
  }

  /// Sets the wall clock at once.
  func setClock(to instant: Instant) { clock.set(to: instant) }

  /// The number of checks for stuck subsystems: two for each sleep of the loop, one for each wait
  /// that returned at once.
  var checkCount: Int { state.withLock(\.checkCount) }

  /// The subsystems that the watchdog found stuck when the loop went to sleep or was to wake.
  var stale: Set<String> { state.withLock(\.stale) }

  func now() -> Instant { clock.now }
  func uptime() -> MonotonicInstant { clock.uptime }
  func sinceBoot() -> TimeSpan { clock.sinceBoot }
  func followZones() {}

  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    recordStaleParts()
    guard !isUrgent, requestQueue.isEmpty else { return WakeUp() }
    let end = wake.map { clock.truth + ($0 - clock.now) } ?? .distantEnd
    let next = state.withLock { state in
      state.agenda.first.map { $0.at <= end } == true ? state.agenda.removeFirst() : nil
    }
    clock.run(to: next?.at ?? end)
    recordStaleParts()
    next?.act()
    // Otherwise the loop would sleep for ever.
    if next == nil, wake == nil { requestQueue.post(.stop { _ in }) }
    return state.withLock { state in
      defer { state.clockStepped = false }
      return WakeUp(clockStepped: state.clockStepped)
    }
  }

  private func recordStaleParts() {
    let stale = heartbeats.stale(at: uptime())
    state.withLock { state in
      state.checkCount += 1
      state.stale.formUnion(stale)
    }
  }
}

/// A wall clock and the time since boot, which advance only on request.
final class VirtualClock: Sendable {
  private struct State {
    /// The right time.
    var truth: Instant
    var sinceBoot = TimeSpan.zero
    /// The time span by which the wall clock is ahead of the right time.
    var lead = TimeSpan.zero
  }

  private let state: Mutex<State>

  init(at start: Instant) {
    state = Mutex(State(truth: start))
  }

  var truth: Instant { state.withLock(\.truth) }
  var now: Instant { state.withLock { $0.truth + $0.lead } }
  var sinceBoot: TimeSpan { state.withLock(\.sinceBoot) }
  var uptime: MonotonicInstant { .epoch + .milliseconds(sinceBoot.milliseconds) }

  /// Advances to an instant of the right time.
  func run(to instant: Instant) {
    state.withLock { state in
      let span = max(.zero, instant - state.truth)
      state.truth += span
      state.sinceBoot = state.sinceBoot + span
    }
  }

  /// Sets the wall clock.
  func set(to instant: Instant) {
    state.withLock { $0.lead = instant - $0.truth }
  }
}

extension Instant {
  fileprivate static let distantEnd = Instant(milliseconds: 4_102_444_800_000)
}
