/// An instant of CLOCK_MONOTONIC, the clock systemd's watchdog counts by: setting the wall clock
/// does not move it, and it stands still while the machine is suspended.
package typealias MonotonicInstant = SuspendingClock.Instant

extension MonotonicInstant {
  /// The clock's zero, so that tests and tables can state instants without reading a clock.
  package static var epoch: MonotonicInstant { SuspendingClock().systemEpoch }

  /// Microseconds since the clock's zero, as MONOTONIC_USEC= wants them.
  package var microseconds: UInt64 { MonotonicInstant.epoch.duration(to: self).microseconds }
}
