import Synchronization

/// The streams to wake when their recipient changes, by recipient.
final class Watchers: Sendable {
  private struct State {
    var signals: [UInt32: [ObjectIdentifier: StreamSignal]] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  /// The number of open streams. It is outside the mutex, so that a cycle finds out cheaply that
  /// there is no stream.
  private let openCount = Atomic(0)

  /// The number of open streams.
  var count: Int { openCount.load(ordering: .acquiring) }

  var isEmpty: Bool { count == 0 }

  func add(_ signal: StreamSignal, for recipient: UInt32, as identity: ObjectIdentifier) {
    let isClosed = state.withLock { state in
      state.signals[recipient, default: [:]][identity] = signal
      return state.isClosed
    }
    openCount.add(1, ordering: .releasing)
    if isClosed { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier, of recipient: UInt32) {
    openCount.subtract(1, ordering: .releasing)
    state.withLock { state in
      state.signals[recipient]?[identity] = nil
      if state.signals[recipient]?.isEmpty ?? false { state.signals[recipient] = nil }
    }
  }

  /// Ends the streams of recipients that move to another node.
  func end(_ recipients: Set<UInt32>) {
    guard !isEmpty else { return }
    state.withLock { state in
      for (row, listeners) in state.signals where recipients.contains(row) {
        for signal in listeners.values { signal.send(.stopping) }
      }
    }
  }

  /// Ends all streams, current and future.
  func endAll() {
    state.withLock { state in
      state.isClosed = true
      for signal in state.signals.values.flatMap(\.values) { signal.send(.stopping) }
    }
  }

  /// Wakes the streams of recipients.
  ///
  /// - Parameter recipients: the recipients that a cycle has changed, and whether they still exist.
  func wake(_ recipients: some Sequence<(row: UInt32, exists: Bool)>) {
    state.withLock { state in
      for (row, exists) in recipients {
        guard let listeners = state.signals[row] else { continue }
        for signal in listeners.values { signal.send(exists ? .deliveries : .erasure) }
      }
    }
  }
}
