import CivilTime
import Fleet
import Synchronization

/// A clock that a test advances in steps, with a check at each step.
final class VirtualClock: Sendable {
  /// The wall time of the node and of the server when the machine was booted.
  private static let start = Instant(milliseconds: 1_772_409_600_000)
  private static let step = TimeSpan.milliseconds(100)

  private let time = Mutex(TimeSpan.seconds(1))

  var now: TimeSpan { time.withLock(\.self) }

  /// The wall time of the node and of the server.
  var wall: Instant { Self.start + now }

  var moment: Moment { Moment(sinceBoot: now, wall: wall) }

  func move(to end: TimeSpan, _ check: () -> Void) {
    while now < end {
      time.withLock { $0 = min(end, $0 + Self.step) }
      check()
    }
  }
}
