import Store
import Synchronization

/// The damage of the store that queries have met since the start, in rows that the engine may never
/// read. Each is reported once, up to `max`.
///
/// Thread-safe.
package final class FoundDamage: Sendable {
  private struct State {
    var reasons: [String] = []
    var report: (@Sendable (String) -> Void)?
  }

  /// The maximum number of reports: further ones add nothing.
  static let max = 16

  private let state = Mutex(State())

  /// The damage, in sentences.
  package var reasons: [String] { state.withLock(\.reasons) }

  /// Sets the receiver of later findings.
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
