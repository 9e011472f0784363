package import CivilTime
package import Systemd

/// The machine of the engine's loop: its clocks and its sleep. The service uses the system's; a
/// simulation has a simulated one.
package protocol EngineHost: Sendable {
  /// CLOCK_REALTIME, which can be set at any time.
  func now() -> Instant

  /// CLOCK_MONOTONIC, the watchdog's clock; it stops while the machine is suspended.
  func uptime() -> MonotonicInstant

  /// The time since boot by CLOCK_BOOTTIME, which advances during suspension and cannot be set.
  func sinceBoot() -> TimeSpan

  /// Identifies the boot of the machine; nil if the system does not give it.
  var boot: String? { get }

  /// Sleeps until the wall clock reaches `wake` (nil: without end), a request is posted, the wall
  /// clock is set or the tz database changes.
  ///
  /// - Parameter isUrgent: whether to check for these events without sleeping.
  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp

  /// Watches the tz database at its current path.
  func followZones()
}

/// The events during a sleep, except that time has passed.
package struct WakeUp: Sendable {
  package var clockStepped: Bool
  package var zonesChanged: Bool

  package init(clockStepped: Bool = false, zonesChanged: Bool = false) {
    self.clockStepped = clockStepped
    self.zonesChanged = zonesChanged
  }
}
