import Synchronization

/// Lets many wait for the one time at which the engine's thread ends.
final class Ending: Sendable {
  private enum State {
    case running([CheckedContinuation<StoreFailure?, Never>])
    case ended(StoreFailure?)
  }

  private let state = Mutex(State.running([]))

  func end(_ reason: StoreFailure?) {
    let waiting: [CheckedContinuation<StoreFailure?, Never>] = state.withLock { state in
      guard case .running(let waiting) = state else { return [] }
      state = .ended(reason)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: reason) }
  }

  func reason() async -> StoreFailure? {
    await withCheckedContinuation { continuation in
      let ended: StoreFailure?? = state.withLock { state in
        switch state {
        case .ended(let reason): return .some(reason)
        case .running(let waiting):
          state = .running(waiting + [continuation])
          return nil
        }
      }
      if let ended { continuation.resume(returning: ended) }
    }
  }
}
