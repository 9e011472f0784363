package import CivilTime
import Glibc
import Systemd

/// The time limit of a program, and the signals that end it: first a request (SIGTERM), then
/// SIGKILL.
struct ProgramShutdown {
  enum End {
    /// The program exceeded its deadline.
    case deadline
    /// The service is stopping.
    case stop
  }

  private enum Phase {
    case running(until: MonotonicInstant?)
    case terminated(killAt: MonotonicInstant)
    case killed
  }

  /// The time from the request to end until the program is killed.
  static let grace = Duration.seconds(1)

  /// Why the program is being ended; nil if it is not.
  private(set) var end: End?
  private var phase: Phase

  /// - Parameter deadline: the instant at which the program is ended; nil for never.
  init(until deadline: MonotonicInstant? = nil) {
    phase = .running(until: deadline)
  }

  /// Whether the program has been asked to end, or killed.
  var hasBegun: Bool {
    if case .running = phase { false } else { true }
  }

  /// When the next signal is due; nil for never.
  var next: MonotonicInstant? {
    switch phase {
    case .running(let deadline): deadline
    case .terminated(let killAt): killAt
    case .killed: nil
    }
  }

  /// Returns the signal to send now, if one is due.
  mutating func signal(at now: MonotonicInstant) -> Int32? {
    guard let next, next <= now else { return nil }
    if case .running = phase {
      end = end ?? .deadline
      phase = .terminated(killAt: now + Self.grace)
      return SIGTERM
    }
    phase = .killed
    return SIGKILL
  }

  /// Plans to ask the program to end at an instant, unless an earlier instant is planned.
  mutating func stop(at instant: MonotonicInstant) {
    end = end ?? .stop
    guard case .running(let deadline) = phase else { return }
    phase = .running(until: min(deadline ?? instant, instant))
  }

  /// Kills the program now.
  mutating func stopUrgently(at now: MonotonicInstant) {
    end = end ?? .stop
    if case .killed = phase { return }
    phase = .terminated(killAt: now)
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
