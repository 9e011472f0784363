import CSystemd
package import CivilTime
import Glibc

/// The system's clock, read by the outermost shell alone.
package enum WallClock {
  package static func now() -> Instant {
    Instant(milliseconds: milliseconds(of: CLOCK_REALTIME))
  }

  /// CLOCK_BOOTTIME since its zero: it goes on while the machine is suspended, and nobody sets it.
  package static func sinceBoot() -> TimeSpan {
    TimeSpan(milliseconds: milliseconds(of: CLOCK_BOOTTIME))
  }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
