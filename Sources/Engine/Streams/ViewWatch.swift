import Synchronization

/// The interest of a stream in how the service is, for as long as it is kept.
package final class ViewWatch: Sendable {
  private let watchers: ViewWatchers

  init(telling signal: StreamSignal, in watchers: ViewWatchers) {
    self.watchers = watchers
    watchers.add(signal, as: ObjectIdentifier(self))
  }

  deinit {
    watchers.remove(ObjectIdentifier(self))
  }
}

/// Who is told when the engine has published something new.
final class ViewWatchers: Sendable {
  private struct State {
    var signals: [ObjectIdentifier: StreamSignal] = [:]
    var isOver = false
  }

  private let state = Mutex(State())
  /// Beside the signals, so that a turn finds out for next to nothing that nobody listens.
  private let open = Atomic(0)

  func add(_ signal: StreamSignal, as identity: ObjectIdentifier) {
    let isOver = state.withLock { state in
      state.signals[identity] = signal
      return state.isOver
    }
    open.add(1, ordering: .releasing)
    if isOver { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier) {
    open.subtract(1, ordering: .releasing)
    state.withLock { _ = $0.signals.removeValue(forKey: identity) }
  }

  func tell() {
    guard open.load(ordering: .acquiring) > 0 else { return }
    state.withLock { state in
      for signal in state.signals.values { signal.send(.deliveries) }
    }
  }

  /// Ends all streams, and those to come.
  func endAll() {
    state.withLock { state in
      state.isOver = true
      for signal in state.signals.values { signal.send(.stopping) }
    }
  }
}
