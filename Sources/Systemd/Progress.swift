/// The progress of one subsystem.
struct Progress: Sendable {
  private enum State {
    /// The subsystem works; `since` is its last progress report.
    case working(since: MonotonicInstant)
    /// The subsystem sleeps; a progress report is due after it wakes.
    case asleep(until: MonotonicInstant)
    /// The subsystem has no work until another subsystem gives it work.
    case unoccupied
  }

  let name: String
  /// The limit of the time between two progress reports.
  let allowance: Duration
  /// Whether a restart of the service would help if the subsystem makes no progress.
  let isVital: Bool
  private var state: State

  init(_ name: String, allowance: Duration, isVital: Bool, at now: MonotonicInstant) {
    self.name = name
    self.allowance = allowance
    self.isVital = isVital
    state = .working(since: now)
  }

  /// Records a finished step of work.
  mutating func note(at now: MonotonicInstant) {
    state = .working(since: now)
  }

  /// Records that the subsystem has no work until a deadline; with nil, until `expect`.
  mutating func idle(until deadline: MonotonicInstant?) {
    state = deadline.map { .asleep(until: $0) } ?? .unoccupied
  }

  /// Records new work. New work is no sign of progress, so it changes only the state of an idle
  /// subsystem.
  mutating func expect(at now: MonotonicInstant) {
    switch state {
    case .working: break
    case .asleep(let deadline): state = .working(since: min(now, deadline))
    case .unoccupied: state = .working(since: now)
    }
  }

  var isUnoccupied: Bool { if case .unoccupied = state { true } else { false } }

  /// Returns the time without progress: since the last progress report, or since the end of a
  /// sleep; zero while the subsystem is idle.
  func age(at now: MonotonicInstant) -> Duration {
    switch state {
    case .working(let since): max(.zero, since.duration(to: now))
    case .asleep(let deadline): max(.zero, deadline.duration(to: now))
    case .unoccupied: .zero
    }
  }

  func isStale(at now: MonotonicInstant) -> Bool { age(at: now) > allowance }
}

/// A subsystem without recent progress.
package struct LateSubsystem: Hashable, Sendable {
  package let name: String
  /// The time without progress.
  package let age: Duration
  /// The time without progress after which the subsystem counts as stalled.
  package let allowance: Duration
  /// Whether a restart of the service would help.
  package let isVital: Bool

  var isStale: Bool { age > allowance }

  /// Returns a text such as "12.4 s", rounded down.
  static func seconds(_ duration: Duration) -> String {
    let tenths = duration.microseconds / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}

/// A subsystem's access to the heartbeats.
package struct ProgressHandle: Sendable {
  let heartbeats: Heartbeats
  let index: Int

  /// Reports a finished step of work; the next report is due within the allowance.
  package func note(at now: MonotonicInstant) {
    heartbeats.update { $0.note(index, at: now) }
  }

  /// Marks the subsystem as idle until `deadline`, after which a progress report is due within the
  /// allowance. With nil, it is idle until `expect(at:)`.
  ///
  /// If other threads queue work, call this under the queue's lock when the queue is empty.
  /// Otherwise the watchdog would miss work that is queued in between.
  package func idle(until deadline: MonotonicInstant?) {
    heartbeats.update { $0.idle(index, until: deadline) }
  }

  /// Records new work: an idle subsystem must report progress within its allowance from now. This
  /// has no effect on a working subsystem.
  package func expect(at now: MonotonicInstant) {
    heartbeats.update { $0.expect(index, at: now) }
  }

  /// Marks a permanent failure, which also stops the service (rule S7). From now on the manager
  /// gets no keep-alive message, and the process must exit by itself.
  package func fail() {
    heartbeats.update { $0.fail() }
  }

  /// Removes the subsystem, for example the lane of a sink that is no longer configured.
  package func retire() {
    heartbeats.update { $0.remove(index) }
  }
}
