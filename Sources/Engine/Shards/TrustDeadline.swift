package import CivilTime
import Synchronization

/// Until when a node may take it that its shards are its own. Beyond that another may have taken
/// its place: no turn begins, and no sink gets anything (rule F4).
///
/// By CLOCK_BOOTTIME, which goes on while the machine is suspended and which nobody sets. For any
/// thread.
package final class TrustDeadline: Sendable {
  private let end: Mutex<TimeSpan>
  private let clock: @Sendable () -> TimeSpan

  /// - Parameters:
  ///   - end: since the boot clock's zero.
  ///   - clock: reads the boot clock.
  package init(
    until end: TimeSpan = .zero, clock: @escaping @Sendable () -> TimeSpan = WallClock.sinceBoot
  ) {
    self.end = Mutex(end)
    self.clock = clock
  }

  /// Whether it is before its end.
  package var holds: Bool { clock() < end.withLock { $0 } }

  /// How long it is until then; nothing if it is past.
  package var rest: TimeSpan { max(.zero, end.withLock { $0 } - clock()) }

  /// Sets another end.
  ///
  /// - Returns: whether the one before is past.
  package func move(to other: TimeSpan) -> Bool {
    defer { end.withLock { $0 = other } }
    return !holds
  }
}
