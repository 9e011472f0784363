import CSystemd
package import CivilTime
import Glibc
package import Outbox
package import Reminders
package import Store
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

  /// Tells one start of the machine from another; nil if the system does not say.
  var boot: String? { get }

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

/// The system's clocks, and what the engine's thread sleeps on: a timer on the wall clock, which a
/// clock step interrupts, the requests' flag, and the tz database's directory. Nothing else wakes
/// it: it never polls.
///
/// Only the clocks are for any thread, the rest is for the engine's.
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

  /// Whether it is told of a change of the tz database.
  var followsZones: Bool { zones != nil }

  private func add(_ descriptor: Int32, _ cause: Cause) throws(SystemCallError) {
    _ = try SystemCallError.check("wait", chime_wait_add(wait.number, descriptor, cause.rawValue))
  }

  package func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    // Without a deadline the timer still has to tell of clock steps: a hundred years are never.
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

  /// - Returns: whether the clock has been set.
  private func arm(_ target: Instant) -> Bool {
    guard !alarm.isSet(to: target) else { return false }
    let milliseconds = max(1, target.milliseconds)
    let nanoseconds = Int32(milliseconds % 1000) * 1_000_000
    return alarm.set(
      to: target, chime_timer_arm(timer.number, milliseconds / 1000, nanoseconds))
  }
}

/// What a timer on the wall clock is set to, as far as is known: to set it again costs a call.
struct Alarm {
  /// Nil when it has gone off, or was cancelled by a step of the clock.
  private var instant: Instant?

  func isSet(to target: Instant) -> Bool { instant == target }

  /// Takes what the system said when the timer was set.
  ///
  /// - Returns: whether the clock has been set since the timer was looked at last. The system tells
  ///   of a step once, to who reads the timer or to who sets it, and sets it all the same
  ///   (timerfd_create(2)).
  mutating func set(to target: Instant, _ code: Int32) -> Bool {
    let hasStepped = code == -ECANCELED
    instant = code == 0 || hasStepped ? target : nil
    return hasStepped
  }

  mutating func wentOff() { instant = nil }
}

/// What the engine does to the world; the loop carries it out, a test watches.
package protocol EngineActions: Sendable {
  /// Hands a batch to a lane's sink; the answer comes back as a request.
  func hand(_ deliveries: [Reminders.Delivery], toLane lane: Int)

  /// Hands analytics events to a lane's sink; the answer comes back as a request.
  func hand(_ events: [AnalyticsItem], toLane lane: Int)

  /// Begins a lane of analytics events, beside that of the sink's deliveries, which ends the sink.
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits)

  /// Begins a lane: what is handed to it goes to its sink.
  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits)

  /// Notes that a lane's sink is in force no more: it is ended by `close`, or with the engine.
  func retire(lane: Int)

  /// Ends a lane whose sink has answered for all that it had.
  func close(lane: Int)

  /// Tells the operator what happened.
  func report(_ notes: Notes)

  /// Tells the operator what a change of the tz database came to.
  func report(_ update: ZoneUpdate)

  func report(_ note: DeliveryNote)

  /// Tells the operator of what apps have submitted and was not taken in; at least one.
  func report(_ refused: [SettledSubmission])

  /// Reports what the catalogs of a start have ended; at least one.
  func report(_ ended: [EndedReminder])

  /// Reports the recipients whose planning did not end; at least one.
  func report(_ recipients: [SetAsideRecipient])
}
