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
  private let allowance: Duration
  private var state: State

  init(_ name: String, allowance: Duration, at now: MonotonicInstant) {
    self.name = name
    self.allowance = allowance
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

  /// For how long it has owed a note; nothing while it rests.
  func age(at now: MonotonicInstant) -> Duration {
    switch state {
    case .working(let since): max(.zero, since.duration(to: now))
    case .asleep(let deadline): max(.zero, deadline.duration(to: now))
    case .unoccupied: .zero
    }
  }

  func isStale(at now: MonotonicInstant) -> Bool {
    switch state {
    case .working(let since): since.duration(to: now) > allowance
    case .asleep(let deadline): deadline.duration(to: now) > allowance
    case .unoccupied: false
    }
  }
}
