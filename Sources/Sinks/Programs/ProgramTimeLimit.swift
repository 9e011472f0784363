package import CivilTime
import Glibc
import Systemd

/// The time limit of a program, and the signals that end it: first SIGTERM, which requests the end,
/// then SIGKILL.
struct ProgramTimeLimit {
  enum Cause {
    /// The program exceeded its deadline.
    case deadline
    /// The service is stopping.
    case stop
  }

  private enum Phase {
    /// SIGTERM is due at the instant; nil for never.
    case running(until: MonotonicInstant?)
    case terminated(killAt: MonotonicInstant)
    case killed
  }

  /// The time between SIGTERM and SIGKILL.
  static let grace = Duration.seconds(1)

  /// Why the program is being ended; nil if it is not.
  private(set) var cause: Cause?
  private var phase: Phase

  /// - Parameter deadline: the instant at which the program is ended; nil for never.
  init(deadline: MonotonicInstant? = nil) {
    phase = .running(until: deadline)
  }

  /// Whether the program has been sent SIGTERM or SIGKILL.
  var hasSignalled: Bool {
    if case .running = phase { false } else { true }
  }

  /// When the next signal is due; nil for never.
  var nextSignalTime: MonotonicInstant? {
    switch phase {
    case .running(let deadline): deadline
    case .terminated(let killAt): killAt
    case .killed: nil
    }
  }

  /// Returns the signal to send now, if one is due.
  mutating func signal(at now: MonotonicInstant) -> Int32? {
    guard let nextSignalTime, nextSignalTime <= now else { return nil }
    if case .running = phase {
      cause = cause ?? .deadline
      phase = .terminated(killAt: now + Self.grace)
      return SIGTERM
    }
    phase = .killed
    return SIGKILL
  }

  /// Plans SIGTERM for an instant, unless it is planned for an earlier one.
  mutating func stop(at instant: MonotonicInstant) {
    cause = cause ?? .stop
    guard case .running(let deadline) = phase else { return }
    phase = .running(until: min(deadline ?? instant, instant))
  }

  /// Makes SIGKILL due now.
  mutating func stopUrgently(at now: MonotonicInstant) {
    cause = cause ?? .stop
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
