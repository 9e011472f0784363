import CivilTime
import Fleet
import Synchronization

/// A clock that goes when a test lets it, in steps at each of which something is looked at.
final class VirtualClock: Sendable {
  /// What the wall clocks said when the machine was started.
  private static let start = Instant(milliseconds: 1_772_409_600_000)
  private static let step = TimeSpan.milliseconds(100)

  private let time = Mutex(TimeSpan.seconds(1))

  var now: TimeSpan { time.withLock(\.self) }

  /// The server's clock says the same.
  var wall: Instant { Self.start + now }

  var moment: Moment { Moment(sinceBoot: now, wall: wall) }

  func move(to end: TimeSpan, _ look: () -> Void) {
    while now < end {
      time.withLock { $0 = min(end, $0 + Self.step) }
      look()
    }
  }
}
