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
  private let signals = Mutex<[ObjectIdentifier: StreamSignal]>([:])
  /// Beside the signals, so that a turn finds out for next to nothing that nobody listens.
  private let open = Atomic(0)

  func add(_ signal: StreamSignal, as identity: ObjectIdentifier) {
    signals.withLock { $0[identity] = signal }
    open.add(1, ordering: .releasing)
  }

  func remove(_ identity: ObjectIdentifier) {
    open.subtract(1, ordering: .releasing)
    signals.withLock { _ = $0.removeValue(forKey: identity) }
  }

  func tell() {
    guard open.load(ordering: .acquiring) > 0 else { return }
    signals.withLock { signals in
      for signal in signals.values { signal.send(.deliveries) }
    }
  }
}
