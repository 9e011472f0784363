import CSystemd
package import CivilTime
import Glibc
package import Systemd

/// The system's clocks, and the sleep of the engine's thread. The sleep ends at a timer on the wall
/// clock, at a step of that clock, at a request, or when the tz database changes. The thread never
/// polls.
///
/// The clocks are thread-safe; the rest belongs to the engine's thread.
package final class SystemHost: EngineHost, @unchecked Sendable {
  /// The causes that end a sleep.
  private enum Cause: UInt64 {
    case timer, requests, zones
  }

  /// The descriptor on which the thread sleeps until one of the causes occurs.
  private let wait: Descriptor
  /// The descriptor of the timer on the wall clock.
  private let timer: Descriptor
  /// The watch on the tz database; nil if the kernel cannot watch it.
  private let zones: ZoneWatch?
  /// The setting of `timer`.
  private var alarm = Alarm()

  /// - Parameter requestFlag: the descriptor of the flag that is raised while requests wait.
  package init(requestFlag: Int32, zoneDirectory: String) throws(SystemCallError) {
    wait = Descriptor(try SystemCallError.check("open a wait", chime_wait_open()))
    timer = Descriptor(try SystemCallError.check("open a timer", chime_timer_open()))
    zones = ZoneWatch(directory: zoneDirectory)
    try add(timer.number, .timer)
    try add(requestFlag, .requests)
    if let zones { try add(zones.descriptor, .zones) }
  }

  package func now() -> Instant { WallClock.now() }

  package func uptime() -> MonotonicInstant { .now }

  package func sinceBoot() -> TimeSpan { WallClock.sinceBoot() }

  package var boot: String? { WallClock.boot }

  package func followZones() { zones?.watchAgain() }

  /// Whether the host watches the tz database.
  var followsZones: Bool { zones != nil }

  private func add(_ descriptor: Int32, _ cause: Cause) throws(SystemCallError) {
    _ = try SystemCallError.check("wait", chime_wait_add(wait.number, descriptor, cause.rawValue))
  }

  package func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    // Without a deadline the timer still reports clock steps; it is set to the year 2100.
    let target = wake ?? Instant(milliseconds: 4_102_444_800_000)
    var wakeUp = WakeUp(clockStepped: arm(target))
    var causes = [UInt64](repeating: 0, count: 4)
    let count = chime_wait(wait.number, &causes, 4, isUrgent || wakeUp.clockStepped ? 0 : -1)
    for cause in causes.prefix(Int(max(0, count))).compactMap(Cause.init) {
      switch cause {
      case .timer:
        if chime_timer_read(timer.number) < 0 { wakeUp.clockStepped = true }
        alarm.recordExpiry()
      case .zones: wakeUp.zonesChanged = zones?.readChanges() ?? false
      case .requests: break
      }
    }
    return wakeUp
  }

  /// Sets the timer unless it is set to this instant already.
  ///
  /// - Returns: whether the clock was set since the timer was last read or set.
  private func arm(_ target: Instant) -> Bool {
    guard !alarm.isSet(to: target) else { return false }
    let milliseconds = max(1, target.milliseconds)
    let nanoseconds = Int32(milliseconds % 1000) * 1_000_000
    return alarm.set(
      to: target, chime_timer_arm(timer.number, milliseconds / 1000, nanoseconds))
  }
}

/// The last setting of a timer on the wall clock. Remembering it saves a system call for an equal
/// setting.
struct Alarm {
  /// The instant of the setting; nil once the timer has expired, or was cancelled by a step of the
  /// clock.
  private var instant: Instant?

  func isSet(to target: Instant) -> Bool { instant == target }

  /// Records the result of setting the timer.
  ///
  /// - Parameter code: 0, or a negative error number.
  /// - Returns: whether the clock was set since the timer was last read or set. The system reports
  ///   a step once, when the timer is read or set, and sets the timer all the same
  ///   (timerfd_create(2)).
  mutating func set(to target: Instant, _ code: Int32) -> Bool {
    let hasStepped = code == -ECANCELED
    instant = code == 0 || hasStepped ? target : nil
    return hasStepped
  }

  /// Records that the timer has expired or was cancelled.
  mutating func recordExpiry() { instant = nil }
}
