import CSystemd
package import CivilTime
import Glibc
package import Outbox
package import Reminders
package import Store
package import Systemd

/// The machine of the engine's loop: its clocks and its sleep. The service uses the system's, a
/// simulation its own.
package protocol EngineHost: Sendable {
  /// CLOCK_REALTIME, which can be set at any time.
  func now() -> Instant

  /// CLOCK_MONOTONIC, the watchdog's clock; it stops while the machine is suspended.
  func uptime() -> MonotonicInstant

  /// CLOCK_BOOTTIME since its zero: it continues while the machine is suspended and cannot be set.
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

/// The system's clocks, and the sleep of the engine's thread. It sleeps on a timer on the wall
/// clock, which a clock step interrupts; on the requests' flag; and on the tz database's directory.
/// It never polls.
///
/// The clocks are thread-safe; the rest belongs to the engine's thread.
package final class SystemHost: EngineHost, @unchecked Sendable {
  private enum Cause: UInt64 {
    case timer, requests, zones
  }

  private let wait: Descriptor
  private let timer: Descriptor
  private let zones: ZoneWatch?
  private var alarm = Alarm()

  /// - Parameter requestFlag: the flag that is up while requests wait.
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

  /// Whether it watches the tz database.
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
        alarm.wentOff()
      case .zones: wakeUp.zonesChanged = zones?.readChanges() ?? false
      case .requests: break
      }
    }
    return wakeUp
  }

  /// - Returns: whether the clock was set.
  private func arm(_ target: Instant) -> Bool {
    guard !alarm.isSet(to: target) else { return false }
    let milliseconds = max(1, target.milliseconds)
    let nanoseconds = Int32(milliseconds % 1000) * 1_000_000
    return alarm.set(
      to: target, chime_timer_arm(timer.number, milliseconds / 1000, nanoseconds))
  }
}

/// The known setting of a timer on the wall clock. It saves a system call for an equal setting.
struct Alarm {
  /// Nil once it has expired, or was cancelled by a step of the clock.
  private var instant: Instant?

  func isSet(to target: Instant) -> Bool { instant == target }

  /// Records the result of setting the timer.
  ///
  /// - Returns: whether the clock was set since the timer was last read or set. The system reports
  ///   a step once, when the timer is read or set, and sets the timer all the same
  ///   (timerfd_create(2)).
  mutating func set(to target: Instant, _ code: Int32) -> Bool {
    let hasStepped = code == -ECANCELED
    instant = code == 0 || hasStepped ? target : nil
    return hasStepped
  }

  mutating func wentOff() { instant = nil }
}

/// The engine's effects on the outside: `EngineShell` performs them, and tests record them.
package protocol EngineActions: Sendable {
  /// Dispatches a batch to a lane's sink; the answer comes back as a request.
  func hand(_ deliveries: [Reminders.Delivery], toLane lane: Int)

  /// Dispatches analytics events to a lane's sink; the answer comes back as a request.
  func hand(_ events: [AnalyticsItem], toLane lane: Int)

  /// Opens a lane of analytics events, beside the sink's lane of deliveries, whose end stops the
  /// sink.
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits)

  /// Opens a lane for a sink.
  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits)

  /// Marks a lane's sink as no longer current: it is stopped by `close`, or with the engine.
  func retire(lane: Int)

  /// Closes a lane whose sink has answered everything.
  func close(lane: Int)

  /// Reports notes to the operator.
  func report(_ notes: Notes)

  /// Reports the effects of a change of the tz database.
  func report(_ update: ZoneUpdate)

  func report(_ note: DeliveryNote)

  /// Reports submissions of apps that were rejected; at least one.
  func report(_ refused: [SettledSubmission])

  /// Reports the occurrences that the catalogs of a start have ended; at least one.
  func report(_ ended: [EndedReminder])

  /// Reports the recipients whose planning did not end; at least one.
  func report(_ recipients: [SetAsideRecipient])
}
