/// How far one subsystem has shown that it gets on with its work.
struct Progress: Sendable {
  private enum State {
    /// At work since the last note.
    case working(since: MonotonicInstant)
    /// Asleep, and to give a note when it wakes.
    case asleep(until: MonotonicInstant)
    /// Nothing to do until others hand it work.
    case unoccupied
  }

  let name: String
  let allowance: Duration
  /// Whether a restart of the service would cure its standing still.
  let isVital: Bool
  private var state: State

  init(_ name: String, allowance: Duration, isVital: Bool, at now: MonotonicInstant) {
    self.name = name
    self.allowance = allowance
    self.isVital = isVital
    state = .working(since: now)
  }

  mutating func note(at now: MonotonicInstant) {
    state = .working(since: now)
  }

  mutating func idle(until deadline: MonotonicInstant?) {
    state = deadline.map { .asleep(until: $0) } ?? .unoccupied
  }

  /// Being handed more work is no sign of progress, so only what is at rest is changed.
  mutating func expect(at now: MonotonicInstant) {
    switch state {
    case .working: break
    case .asleep(let deadline): state = .working(since: min(now, deadline))
    case .unoccupied: state = .working(since: now)
    }
  }

  var isUnoccupied: Bool { if case .unoccupied = state { true } else { false } }

  /// For how long it has owed a note; nothing while it rests.
  func age(at now: MonotonicInstant) -> Duration {
    switch state {
    case .working(let since): max(.zero, since.duration(to: now))
    case .asleep(let deadline): max(.zero, deadline.duration(to: now))
    case .unoccupied: .zero
    }
  }

  func isStale(at now: MonotonicInstant) -> Bool { age(at: now) > allowance }
}

/// A subsystem that has not shown for a while that it gets on.
package struct LatePart: Hashable, Sendable {
  package let name: String
  /// For how long it has owed a note.
  package let age: Duration
  package let allowance: Duration
  /// Whether a restart of the service would cure it.
  package let isVital: Bool

  var isStale: Bool { age > allowance }

  /// "12.4 s", rounded down.
  static func seconds(_ duration: Duration) -> String {
    let tenths = duration.microseconds / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}

/// A subsystem's place in the heartbeats.
package struct ProgressHandle: Sendable {
  let heartbeats: Heartbeats
  let index: Int

  /// A step of work is done; the next must be within the allowance.
  package func note(at now: MonotonicInstant) {
    heartbeats.update { $0.note(index, at: now) }
  }

  /// Goes to rest: until `deadline`, by which it means to wake and give a note (the allowance is
  /// added), or, with nil, until `expect(at:)`.
  ///
  /// Where others hand over work, call this under the lock that guards the queue, once it is seen
  /// to be empty; else work handed over in between goes unwatched.
  package func idle(until deadline: MonotonicInstant?) {
    heartbeats.update { $0.idle(index, until: deadline) }
  }

  /// Called by those who hand over work: a subsystem at rest must give a note within its
  /// allowance from now. Nothing changes for one that is at work.
  package func expect(at now: MonotonicInstant) {
    heartbeats.update { $0.expect(index, at: now) }
  }

  /// Cannot go on, nor can the service without it (rule S7): from now on the manager gets no sign
  /// of life, whatever the others show, and the process is to end by itself.
  package func fail() {
    heartbeats.update { $0.fail() }
  }

  /// Leaves the heartbeats, as a lane does whose sink is no longer configured.
  package func retire() {
    heartbeats.update { $0.remove(index) }
  }
}
