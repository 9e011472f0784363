import Store
import Synchronization

/// The damage of the store that queries have met since the start, in rows that the engine may never
/// read. Each fault is reported once, and at most `max` faults.
///
/// Thread-safe.
package final class FoundDamage: Sendable {
  private struct State {
    var reasons: [String] = []
    /// The receiver of faults; nil until it is set.
    var report: (@Sendable (String) -> Void)?
  }

  /// The maximum number of reported faults; further faults are ignored.
  static let max = 16

  private let state = Mutex(State())

  /// A sentence about each fault.
  package var reasons: [String] { state.withLock(\.reasons) }

  /// Sets the receiver of faults that are found from now on.
  func setReceiver(_ body: @escaping @Sendable (String) -> Void) {
    state.withLock { $0.report = body }
  }

  /// Records the error of a query if it is damage.
  func note(_ error: StoreError) {
    guard case .damaged = error else { return }
    let reason = error.description
    let report: (@Sendable (String) -> Void)? = state.withLock { state in
      guard state.reasons.count < Self.max, !state.reasons.contains(reason) else { return nil }
      state.reasons.append(reason)
      return state.report
    }
    report?(reason)
  }
}
