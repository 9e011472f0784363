package import CivilTime
package import Systemd

/// The clocks of the engine's loop, and its sleep. The service uses the system's clocks; tests use
/// simulated clocks.
package protocol EngineHost: Sendable {
  /// The wall clock's time by CLOCK_REALTIME, which can be set at any time.
  func now() -> Instant

  /// The time by CLOCK_MONOTONIC, the watchdog's clock, which stops while the machine is suspended.
  func uptime() -> MonotonicInstant

  /// The time since boot by CLOCK_BOOTTIME, which advances during suspension and cannot be set.
  func sinceBoot() -> TimeSpan

  /// Identifies the boot of the machine; nil if the system provides no such id.
  var boot: String? { get }

  /// Sleeps until the wall clock reaches `wake` (nil: without end), a request is posted, the wall
  /// clock is set or the tz database changes.
  ///
  /// - Parameter isUrgent: whether to check for these events without sleeping.
  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp

  /// Watches the tz database at its current path.
  func followZones()
}

/// The changes that a sleep has noticed: none if only time has passed or a request was posted.
package struct WakeUp: Sendable {
  /// Whether the wall clock was set.
  package var clockStepped: Bool
  /// Whether files of the tz database have changed.
  package var zonesChanged: Bool

  package init(clockStepped: Bool = false, zonesChanged: Bool = false) {
    self.clockStepped = clockStepped
    self.zonesChanged = zonesChanged
  }
}
