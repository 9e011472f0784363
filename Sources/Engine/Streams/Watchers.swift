import Synchronization

/// The streams to wake when their recipient changes, by recipient.
final class Watchers: Sendable {
  /// The maximum number of withdrawn notifications that are noted for a stream: 8 bytes each. If
  /// more are withdrawn before the stream reads them, the stream misses the earliest.
  static let withdrawnMax = 256

  private struct Listener {
    let signal: StreamSignal
    /// The notifications that were withdrawn last, in the order of their withdrawals.
    var withdrawn: [Int64] = []

    mutating func add(withdrawn numbers: Set<Int64>) {
      withdrawn.removeAll { numbers.contains($0) }
      withdrawn = (withdrawn + numbers.sorted()).suffix(Watchers.withdrawnMax)
    }
  }

  private struct State {
    var listeners: [UInt32: [ObjectIdentifier: Listener]] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  /// The number of open streams. It is outside the mutex, so that an engine cycle finds out cheaply
  /// that there is no stream.
  private let openCount = Atomic(0)

  /// The number of open streams.
  var count: Int { openCount.load(ordering: .acquiring) }

  var isEmpty: Bool { count == 0 }

  func add(_ signal: StreamSignal, for recipient: UInt32, as identity: ObjectIdentifier) {
    let isClosed = state.withLock { state in
      state.listeners[recipient, default: [:]][identity] = Listener(signal: signal)
      return state.isClosed
    }
    openCount.add(1, ordering: .releasing)
    if isClosed { signal.send(.stopping) }
  }

  func remove(_ identity: ObjectIdentifier, of recipient: UInt32) {
    openCount.subtract(1, ordering: .releasing)
    state.withLock { state in
      state.listeners[recipient]?[identity] = nil
      if state.listeners[recipient]?.isEmpty ?? false { state.listeners[recipient] = nil }
    }
  }

  /// Ends the streams of recipients that move to another node.
  func end(_ recipients: Set<UInt32>) {
    guard !isEmpty else { return }
    state.withLock { state in
      for (row, listeners) in state.listeners where recipients.contains(row) {
        for listener in listeners.values { listener.signal.send(.stopping) }
      }
    }
  }

  /// Ends all streams, current and future.
  func endAll() {
    state.withLock { state in
      state.isClosed = true
      for listener in state.listeners.values.flatMap(\.values) {
        listener.signal.send(.stopping)
      }
    }
  }

  /// Wakes the streams of recipients.
  ///
  /// - Parameter recipients: the recipients that a cycle has changed, and whether they still exist.
  func wake(_ recipients: some Sequence<(row: UInt32, exists: Bool)>) {
    state.withLock { state in
      for (row, exists) in recipients {
        guard let listeners = state.listeners[row] else { continue }
        for listener in listeners.values { listener.signal.send(exists ? .deliveries : .erasure) }
      }
    }
  }

  /// Wakes the streams of recipients whose notifications are withdrawn, and notes these.
  ///
  /// - Parameter notifications: the numbers of the notifications, by the rows of the recipients.
  func wake(withdrawn notifications: [UInt32: Set<Int64>]) {
    state.withLock { state in
      for (row, numbers) in notifications {
        for identity in state.listeners[row, default: [:]].keys {
          state.listeners[row]?[identity]?.add(withdrawn: numbers)
          state.listeners[row]?[identity]?.signal.send(.deliveries)
        }
      }
    }
  }

  /// Returns the numbers of the notifications that were withdrawn since a stream began, at most
  /// `withdrawnMax`.
  func withdrawn(from recipient: UInt32, since identity: ObjectIdentifier) -> [Int64] {
    state.withLock { $0.listeners[recipient]?[identity]?.withdrawn ?? [] }
  }
}
