import Glibc

/// A wall-clock reading, for display.
package struct Timestamp: CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00Z.
  package let seconds: Int
  /// The milliseconds, from 0 to 999.
  package let milliseconds: Int

  package init(seconds: Int, milliseconds: Int) {
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  static var now: Timestamp {
    var reading = timespec()
    clock_gettime(CLOCK_REALTIME, &reading)
    return Timestamp(seconds: reading.tv_sec, milliseconds: reading.tv_nsec / 1_000_000)
  }

  /// The instant in RFC 3339, in UTC: "2026-11-21T08:15:00.250Z".
  package var description: String {
    var civil = tm()
    var moment = seconds
    gmtime_r(&moment, &civil)
    let date = [civil.tm_mon + 1, civil.tm_mday].map { Timestamp.padded(Int($0), to: 2) }
    let time = [civil.tm_hour, civil.tm_min, civil.tm_sec].map { Timestamp.padded(Int($0), to: 2) }
    let day = "\(civil.tm_year + 1_900)-\(date.joined(separator: "-"))"
    return "\(day)T\(time.joined(separator: ":")).\(Timestamp.padded(milliseconds, to: 3))Z"
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

/// An instant of CLOCK_MONOTONIC, the clock of systemd's watchdog: setting the wall clock does not
/// move it, and it stops while the machine is suspended.
package typealias MonotonicInstant = SuspendingClock.Instant

extension MonotonicInstant {
  /// The clock's zero, so that tests and tables can give instants without reading a clock.
  package static var epoch: MonotonicInstant { SuspendingClock().systemEpoch }

  /// Microseconds since the clock's zero, for MONOTONIC_USEC=.
  package var microseconds: UInt64 { MonotonicInstant.epoch.duration(to: self).microseconds }
}

extension Duration {
  /// Whole microseconds, rounded down; 0 for a negative duration, `UInt64.max` on overflow.
  package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
    return overflow || carry ? .max : sum
  }
}
