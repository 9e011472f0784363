package import CivilTime
import Dispatch
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

/// Looks, when the time of a node's trust is over, whether there is more of it; if not, whatever a
/// sink has begun is given up, so that it begins nothing else.
struct TrustWatch: Sendable {
  private static let queue = DispatchQueue(label: "trust")

  private let trust: TrustDeadline
  private let answer: FirstAnswer
  private let giveUp: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: once it is given, there is nothing to give up any more.
  ///   - giveUp: called once at most.
  init(_ trust: TrustDeadline, of answer: FirstAnswer, giveUp: @escaping @Sendable () -> Void) {
    (self.trust, self.answer, self.giveUp) = (trust, answer, giveUp)
  }

  func begin() {
    let watch = trust.watch { if !answer.isGiven { giveUp() } }
    if let watch { look(as: watch) }
  }

  private func look(as watch: Int) {
    let rest = DispatchTimeInterval.milliseconds(Int(trust.rest.milliseconds) + 1)
    Self.queue.asyncAfter(deadline: .now() + rest) {
      guard !answer.isGiven else {
        trust.forget(watch)
        return
      }
      guard !trust.holds else { return look(as: watch) }
      if trust.forget(watch) { giveUp() }
    }
  }
}
