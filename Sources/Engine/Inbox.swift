import CSystemd
import Synchronization
package import Systemd

/// Where requests wait for the engine's thread, which a flag wakes. Closed, it takes none.
package final class Inbox: Sendable {
  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  /// The descriptor to wait on.
  package let flag: Int32
  /// What the watchdog watches: who posts expects the thread to get on.
  let progress: ProgressHandle
  private let state = Mutex(State())

  package init(
    progress: ProgressHandle = ProgressLedger().register("engine", at: .now)
  ) throws(SystemCallError) {
    self.progress = progress
    flag = try SystemCallError.check("open a flag", chime_flag_open())
  }

  /// Whether the request was taken.
  @discardableResult
  package func post(_ request: Request) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.requests.append(request)
      return true
    }
    if isTaken {
      progress.expect(at: .now)
      _ = chime_flag_raise(flag)
    }
    return isTaken
  }

  /// Everything that waits, in order.
  package func take() -> [Request] {
    _ = chime_flag_clear(flag)
    return state.withLock { state in
      let requests = state.requests
      state.requests = []
      return requests
    }
  }

  /// Takes no more; what waits can still be taken out.
  package func close() {
    state.withLock { $0.isClosed = true }
  }
}
