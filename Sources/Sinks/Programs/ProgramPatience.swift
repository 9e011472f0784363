package import CivilTime
import Glibc
import Systemd

/// How long a program may run, and how it is made to end: it is asked to, and then killed.
struct ProgramPatience {
  enum End {
    /// It took too long.
    case deadline
    /// The service stops.
    case stop
  }

  private enum Phase {
    case running(until: MonotonicInstant?)
    case asked(killAt: MonotonicInstant)
    case killed
  }

  /// How long a program that was asked to end has for it.
  static let grace = Duration.seconds(1)

  /// Why it is made to end, if it is.
  private(set) var end: End?
  private var phase: Phase

  /// - Parameter deadline: when it has taken too long; nil is never.
  init(until deadline: MonotonicInstant? = nil) {
    phase = .running(until: deadline)
  }

  /// Whether it was asked to end, or killed.
  var isAtItsEnd: Bool {
    if case .running = phase { false } else { true }
  }

  /// When there is something to do next.
  var next: MonotonicInstant? {
    switch phase {
    case .running(let deadline): deadline
    case .asked(let killAt): killAt
    case .killed: nil
    }
  }

  /// The signal to send now, if one is due.
  mutating func signal(at now: MonotonicInstant) -> Int32? {
    guard let next, next <= now else { return nil }
    if case .running = phase {
      end = end ?? .deadline
      phase = .asked(killAt: now + Self.grace)
      return SIGTERM
    }
    phase = .killed
    return SIGKILL
  }

  /// It is to be asked at that time, if not earlier.
  mutating func stop(at instant: MonotonicInstant) {
    end = end ?? .stop
    guard case .running(let deadline) = phase else { return }
    phase = .running(until: min(deadline ?? instant, instant))
  }

  /// It is to be killed now, whatever was planned.
  mutating func stopUrgently(at now: MonotonicInstant) {
    end = end ?? .stop
    if case .killed = phase { return }
    phase = .asked(killAt: now)
  }
}

extension Duration {
  package init(_ span: TimeSpan) {
    self = .milliseconds(span.milliseconds)
  }
}

extension TimeSpan {
  package init(_ duration: Duration) {
    self.init(milliseconds: Int64(duration / .milliseconds(1)))
  }
}
