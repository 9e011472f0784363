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
  private let uptime: @Sendable () -> MonotonicInstant
  private let state = Mutex(State())

  /// - Parameter uptime: reads the clock that the watchdog counts by.
  package init(
    progress: ProgressHandle = ProgressLedger().register("engine", at: .now),
    uptime: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) {
    self.progress = progress
    self.uptime = uptime
    flag = try SystemCallError.check("open a flag", chime_flag_open())
  }

  /// Whether the request was taken.
  @discardableResult
  package func post(_ request: Request) -> Bool {
    let waiting: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.requests.append(request)
      return state.requests.count
    }
    guard let waiting else { return false }
    progress.expect(at: uptime())
    // For those that waited already the flag is up, or about to be.
    if waiting == 1 { _ = chime_flag_raise(flag) }
    return true
  }

  package var isEmpty: Bool { state.withLock(\.requests.isEmpty) }

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
