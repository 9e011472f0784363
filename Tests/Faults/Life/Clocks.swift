import CivilTime
import Systemd

/// The clocks of a simulated machine: time passes when it is told to.
struct Clocks {
  /// What time it is.
  private(set) var now: Instant
  /// By how much the wall clock is wrong.
  var error = TimeSpan.zero
  /// The latest time that the wall clock has shown.
  private(set) var furthest: Instant
  private let boot: Instant

  init(now: Instant) {
    self.now = now
    furthest = now
    boot = now - .days(1)
  }

  var wall: Instant { now + error }

  var uptime: MonotonicInstant {
    MonotonicInstant.epoch + .milliseconds(sinceBoot.milliseconds)
  }

  /// Time since the machine was started.
  var sinceBoot: TimeSpan { now - boot }

  /// Lets time pass up to an instant that is not past.
  mutating func advance(to instant: Instant) {
    now = max(now, instant)
    furthest = max(furthest, wall)
  }
}
