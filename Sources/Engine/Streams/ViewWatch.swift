import Synchronization

/// A stream's registration for changes of the service's state. Releasing it ends the registration.
package final class ViewWatch: Sendable {
  private let watchers: ViewWatchers

  init(signal: StreamSignal, in watchers: ViewWatchers) {
    self.watchers = watchers
    watchers.add(signal, as: ObjectIdentifier(self))
  }

  deinit {
    watchers.remove(ObjectIdentifier(self))
  }
}

/// The streams to wake when the engine publishes a new view.
final class ViewWatchers: Sendable {
  private struct State {
    var signals: [ObjectIdentifier: StreamSignal] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  /// The number of open streams. It is outside the mutex, so that an engine cycle finds out cheaply
  /// that there is no stream.
  private let openCount = Atomic(0)

  func add(_ signal: StreamSignal, as identity: ObjectIdentifier) {
    let isClosed = state.withLock { state in
      state.signals[identity] = signal
      return state.isClosed
    }
    openCount.add(1, ordering: .releasing)
    if isClosed { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier) {
    openCount.subtract(1, ordering: .releasing)
    state.withLock { _ = $0.signals.removeValue(forKey: identity) }
  }

  func wakeAll() {
    guard openCount.load(ordering: .acquiring) > 0 else { return }
    state.withLock { state in
      for signal in state.signals.values { signal.send(.deliveries) }
    }
  }

  /// Ends all streams, current and future.
  func endAll() {
    state.withLock { state in
      state.isClosed = true
      for signal in state.signals.values { signal.send(.stopping) }
    }
  }
}
