import CivilTime
import Systemd

/// The clocks of a simulated machine, which advance only on request.
struct Clocks {
  /// The right time.
  private(set) var now: Instant
  /// The time by which the wall clock is ahead of the right time; negative if it is behind.
  var wallOffset = TimeSpan.zero
  /// The latest time that the wall clock has shown.
  private(set) var latestWall: Instant
  /// When the machine was booted, by the right clock.
  private let boot: Instant

  init(now: Instant) {
    self.now = now
    latestWall = now
    boot = now - .days(1)
  }

  /// The wall clock's reading.
  var wall: Instant { now + wallOffset }

  /// The monotonic clock's reading, which is the time since boot.
  var monotonicNow: MonotonicInstant {
    MonotonicInstant.epoch + .milliseconds(sinceBoot.milliseconds)
  }

  /// The time since boot.
  var sinceBoot: TimeSpan { now - boot }

  /// Advances to an instant, unless it has passed.
  mutating func advance(to instant: Instant) {
    now = max(now, instant)
    latestWall = max(latestWall, wall)
  }
}
