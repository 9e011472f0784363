import Glibc

/// A reading of the wall clock, for a line that someone reads.
package struct Timestamp: CustomStringConvertible {
  /// Since 1970-01-01T00:00Z.
  package let seconds: Int
  /// 0 to 999.
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

  /// RFC 3339, in UTC: "2026-11-21T08:15:00.250Z".
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

/// An instant of CLOCK_MONOTONIC, the clock systemd's watchdog counts by: setting the wall clock
/// does not move it, and it stands still while the machine is suspended.
package typealias MonotonicInstant = SuspendingClock.Instant

extension MonotonicInstant {
  /// The clock's zero, so that tests and tables can state instants without reading a clock.
  package static var epoch: MonotonicInstant { SuspendingClock().systemEpoch }

  /// Microseconds since the clock's zero, as MONOTONIC_USEC= wants them.
  package var microseconds: UInt64 { MonotonicInstant.epoch.duration(to: self).microseconds }
}

extension Duration {
  /// Whole microseconds, rounded down; 0 for a negative duration, the largest number for one that
  /// does not fit.
  package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
    return overflow || carry ? .max : sum
  }
}
