import Store
import Synchronization

/// The damage of the store that questions have met since the start: the engine may never read what
/// they ask for. Each is told once, up to a number.
///
/// For any thread.
package final class FoundDamage: Sendable {
  private struct State {
    var reasons: [String] = []
    var tell: (@Sendable (String) -> Void)?
  }

  /// How many are told: where so much is damaged, more of it says no more.
  static let max = 16

  private let state = Mutex(State())

  /// What was found, in sentences.
  package var reasons: [String] { state.withLock(\.reasons) }

  /// Says who is told of what is found from now on.
  func tell(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.tell = body } }

  /// Notes why a question could not be answered, if that is damage.
  func note(_ error: StoreError) {
    guard case .damaged = error else { return }
    let reason = error.description
    let tell: (@Sendable (String) -> Void)? = state.withLock { state in
      guard state.reasons.count < Self.max, !state.reasons.contains(reason) else { return nil }
      state.reasons.append(reason)
      return state.tell
    }
    tell?(reason)
  }
}
