import CivilTime
import Synchronization
import Systemd

@testable import Engine

/// A machine of which nothing is real: its clocks stand still until the loop sleeps, and go on to
/// where something is to be done.
final class VirtualHost: EngineHost {
  private struct State {
    var agenda: [(at: Instant, act: @Sendable () -> Void)] = []
    var clockStepped = false
    var waits = 0
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

  /// The machine of another host, with a service that is started anew.
  ///
  /// - Parameter boot: which start of the machine it is.
  init(after other: VirtualHost, boot: String?) throws {
    let clock = other.clock
    self.clock = clock
    self.boot = boot
    heartbeats = Heartbeats()
    requestQueue = try RequestQueue(
      progress: heartbeats.register("engine", at: clock.uptime), uptime: { clock.uptime })
  }

  /// What is to happen while the loop sleeps.
  ///
  /// - Parameter instant: as a clock would say that nobody has set.
  func plan(at instant: Instant, _ act: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.agenda.append((instant, act))
      state.agenda.sort { $0.at < $1.at }
    }
  }

  /// Sets the wall clock when it should say `instant`, or sets it right again.
  ///
  /// - Parameter other: what it says from then on; nil for what it should say.
  func setClock(at instant: Instant, to other: Instant?) {
    plan(at: instant) { [self] in
      clock.set(to: other ?? clock.truth)
      state.withLock { $0.clockStepped = true }
    }
  }

  /// Sets the wall clock at once.
  func setClock(to instant: Instant) { clock.set(to: instant) }

  /// How often the loop slept.
  var waits: Int { state.withLock(\.waits) }

  /// Who owed the watchdog a note when the loop went to sleep, or when it was to wake.
  var stale: Set<String> { state.withLock(\.stale) }

  func now() -> Instant { clock.now }
  func uptime() -> MonotonicInstant { clock.uptime }
  func sinceBoot() -> TimeSpan { clock.passed }
  func followZones() {}

  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    judge()
    guard !isUrgent, requestQueue.isEmpty else { return WakeUp() }
    let end = wake.map { clock.truth + ($0 - clock.now) } ?? .distantEnd
    let next = state.withLock { state in
      state.agenda.first.map { $0.at <= end } == true ? state.agenda.removeFirst() : nil
    }
    clock.run(to: next?.at ?? end)
    judge()
    next?.act()
    // Nothing would ever happen again.
    if next == nil, wake == nil { requestQueue.post(.stop { _ in }) }
    return state.withLock { state in
      defer { state.clockStepped = false }
      return WakeUp(clockStepped: state.clockStepped)
    }
  }

  private func judge() {
    let stale = heartbeats.stale(at: uptime())
    state.withLock { state in
      state.waits += 1
      state.stale.formUnion(stale)
    }
  }
}

/// A wall clock and the time since boot, which go on only when they are told to.
final class VirtualClock: Sendable {
  private struct State {
    /// What a clock would say that nobody has set.
    var truth: Instant
    var passed = TimeSpan.zero
    /// By how much the wall clock is set ahead of that.
    var lead = TimeSpan.zero
  }

  private let state: Mutex<State>

  init(at start: Instant) {
    state = Mutex(State(truth: start))
  }

  var truth: Instant { state.withLock(\.truth) }
  var now: Instant { state.withLock { $0.truth + $0.lead } }
  var passed: TimeSpan { state.withLock(\.passed) }
  var uptime: MonotonicInstant { .epoch + .milliseconds(passed.milliseconds) }

  /// Lets time pass until a clock that nobody has set would say so.
  func run(to instant: Instant) {
    state.withLock { state in
      let span = max(.zero, instant - state.truth)
      state.truth += span
      state.passed = state.passed + span
    }
  }

  /// Sets the wall clock, in no time.
  func set(to instant: Instant) {
    state.withLock { $0.lead = instant - $0.truth }
  }
}

extension Instant {
  fileprivate static let distantEnd = Instant(milliseconds: 4_102_444_800_000)
}
