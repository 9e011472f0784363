import Synchronization

/// Lets so many large bodies be in memory at once, and the others wait for their turn, whoever
/// sends them: what a batch becomes when it is read is many times its bytes (rule H3).
final class LargeBodies: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(atOnce count: Int) {
    state = Mutex(State(free: count))
  }

  /// Calls `body` when there is room.
  func withRoom<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let mayEnter = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if mayEnter { continuation.resume() }
    }
  }

  /// The first who waits takes the place over.
  private func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
