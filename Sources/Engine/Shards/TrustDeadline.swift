package import CivilTime
import Dispatch
import Synchronization

/// The deadline until which a node may trust that it owns its shards. After the deadline, another
/// node may own them: no engine cycle begins, and nothing is dispatched (rule F4).
///
/// The deadline is measured by CLOCK_BOOTTIME, which advances during suspension and cannot be set.
/// Thread-safe.
package final class TrustDeadline: Sendable {
  private struct State {
    /// The deadline, as the time since boot.
    var end: TimeSpan
    var isRevoked = false
    /// Functions to call upon revocation, by number.
    var watches: [Int: @Sendable () -> Void] = [:]
    /// The number of the last function that was added to `watches`; 0 if there is none.
    var lastWatch = 0
  }

  private let state: Mutex<State>
  /// Returns the time since boot.
  private let clock: @Sendable () -> TimeSpan

  /// - Parameters:
  ///   - end: the deadline, as the time since boot.
  ///   - clock: reads the boot clock.
  package init(
    until end: TimeSpan = .zero, clock: @escaping @Sendable () -> TimeSpan = WallClock.sinceBoot
  ) {
    state = Mutex(State(end: end))
    self.clock = clock
  }

  /// Whether the deadline is in the future.
  package var holds: Bool { clock() < state.withLock { $0.end } }

  /// Whether the trust was ended for good.
  var isRevoked: Bool { state.withLock(\.isRevoked) }

  /// The time until the deadline; zero after it.
  package var remaining: TimeSpan { max(.zero, state.withLock { $0.end } - clock()) }

  /// Sets another deadline.
  ///
  /// - Returns: whether the previous deadline had passed.
  package func move(to other: TimeSpan) -> Bool {
    defer { state.withLock { if !$0.isRevoked { $0.end = other } } }
    return !holds
  }

  /// Ends the trust at once and for good.
  package func revoke() {
    let watches = state.withLock { state in
      defer { state = State(end: .zero, isRevoked: true) }
      return Array(state.watches.values)
    }
    for body in watches { body() }
  }

  /// Calls `body` upon revocation, unless `forget` removes it first.
  ///
  /// - Returns: the number of the registration; nil if the trust is revoked already and `body` was
  ///   called.
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

  /// Removes the registration with a number, as `watch` has returned it.
  ///
  /// - Returns: whether the function was still registered.
  @discardableResult
  func forget(_ watch: Int) -> Bool {
    state.withLock { $0.watches.removeValue(forKey: watch) != nil }
  }
}

/// Aborts a sink's batch when the trust has expired or is revoked, so that the sink begins no
/// further delivery.
struct TrustWatch: Sendable {
  private static let queue = DispatchQueue(label: "trust")

  private let trust: TrustDeadline
  private let answer: FirstAnswer
  private let abort: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: the answer to the batch; once it is given, nothing is aborted.
  ///   - abort: aborts the batch; called at most once.
  init(_ trust: TrustDeadline, of answer: FirstAnswer, abort: @escaping @Sendable () -> Void) {
    (self.trust, self.answer, self.abort) = (trust, answer, abort)
  }

  /// Begins to watch the trust, until the answer is given or the batch is aborted.
  func begin() {
    let watch = trust.watch { if !answer.isGiven { abort() } }
    if let watch { checkLater(as: watch) }
  }

  /// Checks the trust once its current deadline has passed.
  private func checkLater(as watch: Int) {
    let delay = DispatchTimeInterval.milliseconds(Int(trust.remaining.milliseconds) + 1)
    Self.queue.asyncAfter(deadline: .now() + delay) {
      guard !answer.isGiven else {
        trust.forget(watch)
        return
      }
      guard !trust.holds else { return checkLater(as: watch) }
      if trust.forget(watch) { abort() }
    }
  }
}
