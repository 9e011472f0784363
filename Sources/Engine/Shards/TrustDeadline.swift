package import CivilTime
import Synchronization

/// Until when a node may take it that its shards are its own. Beyond that another may have taken
/// its place: no turn begins, and no sink gets anything (rule F4).
///
/// By CLOCK_BOOTTIME, which goes on while the machine is suspended and which nobody sets. For any
/// thread.
package final class TrustDeadline: Sendable {
  private struct State {
    var end: TimeSpan
    var isRevoked = false
    /// What is to be done when it is revoked, by number.
    var watches: [Int: @Sendable () -> Void] = [:]
    var lastWatch = 0
  }

  private let state: Mutex<State>
  private let clock: @Sendable () -> TimeSpan

  /// - Parameters:
  ///   - end: since the boot clock's zero.
  ///   - clock: reads the boot clock.
  package init(
    until end: TimeSpan = .zero, clock: @escaping @Sendable () -> TimeSpan = WallClock.sinceBoot
  ) {
    state = Mutex(State(end: end))
    self.clock = clock
  }

  /// Whether it is before its end.
  package var holds: Bool { clock() < state.withLock { $0.end } }

  /// Whether it was ended for good.
  var isRevoked: Bool { state.withLock(\.isRevoked) }

  /// How long it is until then; nothing if it is past.
  package var rest: TimeSpan { max(.zero, state.withLock { $0.end } - clock()) }

  /// Sets another end.
  ///
  /// - Returns: whether the one before is past.
  package func move(to other: TimeSpan) -> Bool {
    defer { state.withLock { if !$0.isRevoked { $0.end = other } } }
    return !holds
  }

  /// Ends it at once and for good.
  package func revoke() {
    let watches = state.withLock { state in
      defer { state = State(end: .zero, isRevoked: true) }
      return Array(state.watches.values)
    }
    for body in watches { body() }
  }

  /// Has something done when it is revoked, unless that is forgotten before.
  ///
  /// - Returns: its number; nil if it is revoked, and that was done at once.
  func watch(_ body: @escaping @Sendable () -> Void) -> Int? {
    let number: Int? = state.withLock { state in
      guard !state.isRevoked else { return nil }
      state.lastWatch += 1
      state.watches[state.lastWatch] = body
      return state.lastWatch
    }
    if number == nil { body() }
    return number
  }

  /// - Returns: whether it was not done yet.
  @discardableResult
  func forget(_ watch: Int) -> Bool {
    state.withLock { $0.watches.removeValue(forKey: watch) != nil }
  }
}
