import CSystemd
import CivilTime
import Systemd

/// What the engine's thread sleeps on: a timer on the wall clock, which a clock step interrupts,
/// the inbox, and the tz database's directory. Nothing else wakes it: it never polls.
final class WakeUps {
  enum Cause: UInt64 {
    case timer, inbox, zones
  }

  private let wait: Int32
  private let timer: Int32
  private let zones: ZoneWatch?

  init(inbox: Int32, zoneDirectory: String) throws(SystemCallError) {
    wait = try SystemCallError.check("open a wait", chime_wait_open())
    timer = try SystemCallError.check("open a timer", chime_timer_open())
    zones = ZoneWatch(directory: zoneDirectory)
    try add(timer, .timer)
    try add(inbox, .inbox)
    if let zones { try add(zones.descriptor, .zones) }
  }

  /// Follows the tz database to where it is now.
  func watchZonesAgain() { zones?.watchAgain() }

  private func add(_ descriptor: Int32, _ cause: Cause) throws(SystemCallError) {
    _ = try SystemCallError.check("wait", chime_wait_add(wait, descriptor, cause.rawValue))
  }

  /// Sleeps until `wake`, or until something else happens.
  ///
  /// - Returns: whether the clock was set, and whether the tz database has changed.
  func sleep(until wake: Instant?, isUrgent: Bool) -> (clockStepped: Bool, zonesChanged: Bool) {
    // Without a deadline the timer still has to tell of clock steps: a hundred years are never.
    let target = wake ?? Instant(milliseconds: 4_102_444_800_000)
    arm(target)
    var causes = [UInt64](repeating: 0, count: 4)
    let count = chime_wait(wait, &causes, 4, isUrgent ? 0 : -1)
    var stepped = false
    var changed = false
    for cause in causes.prefix(Int(max(0, count))).compactMap(Cause.init) {
      switch cause {
      case .timer: stepped = chime_timer_read(timer) < 0 || stepped
      case .zones: changed = zones?.readChanges() ?? false
      case .inbox: break
      }
    }
    return (stepped, changed)
  }

  private func arm(_ target: Instant) {
    let milliseconds = max(1, target.milliseconds)
    let nanoseconds = Int32(milliseconds % 1000) * 1_000_000
    _ = chime_timer_arm(timer, milliseconds / 1000, nanoseconds)
  }
}
