package import CivilTime
package import Systemd

/// The machine as the engine's loop knows it: its clocks, and a place to sleep. The service has the
/// system's, a simulator its own.
package protocol EngineHost: Sendable {
  /// CLOCK_REALTIME, which anybody may set.
  func now() -> Instant

  /// CLOCK_MONOTONIC, by which the watchdog counts; it stands still while the machine is suspended.
  func uptime() -> MonotonicInstant

  /// CLOCK_BOOTTIME since its zero: it goes on while the machine is suspended, and nobody sets it.
  func sinceBoot() -> TimeSpan

  /// Sleeps until the wall clock says `wake`, for good if nil, or until something else happens: a
  /// request is posted, the wall clock is set, the tz database changes.
  ///
  /// - Parameter isUrgent: whether to only look what has happened, and not to sleep.
  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp

  /// Follows the tz database to where it is now.
  func followZones()
}

/// What has happened while the loop slept, beside the time that has passed.
package struct WakeUp: Sendable {
  package var clockStepped: Bool
  package var zonesChanged: Bool

  package init(clockStepped: Bool = false, zonesChanged: Bool = false) {
    self.clockStepped = clockStepped
    self.zonesChanged = zonesChanged
  }
}
