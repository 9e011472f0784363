internal import Synchronization

/// Limits how many tasks do something at once; others wait in the order of their arrival. Sinks use
/// a semaphore to limit their attempts in flight, and the API to limit the large bodies in memory.
package final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    /// The number of free permits.
    var free: Int
    /// The waiting tasks, in the order of their arrival.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The number of permits, at least 1.
  package let count: Int
  private let state: Mutex<State>

  package init(_ count: Int) {
    self.count = max(1, count)
    state = Mutex(State(free: self.count))
  }

  /// Whether a permit is free.
  package var hasFree: Bool { state.withLock { $0.free > 0 } }

  /// Calls `body` while holding a permit.
  package func withPermit<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    await acquire()
    defer { release() }
    return try await body()
  }

  /// Waits for a permit, in the order of the callers.
  package func acquire() async {
    if tryAcquire() { return }
    await withCheckedContinuation { continuation in
      let isAcquired = state.withLock { state in
        if state.tryAcquire() { return true }
        state.waiting.append(continuation)
        return false
      }
      if isAcquired { continuation.resume() }
    }
  }

  /// Acquires a permit if one is free.
  ///
  /// - Returns: whether the caller has a permit now.
  package func tryAcquire() -> Bool { state.withLock { $0.tryAcquire() } }

  /// Passes a permit to the first task that waits, or frees it.
  package func release() {
    let nextTask = state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
        return nil as CheckedContinuation<Void, Never>?
      }
      return state.waiting.removeFirst()
    }
    nextTask?.resume()
  }
}

extension AsyncSemaphore.State {
  fileprivate mutating func tryAcquire() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }
}
