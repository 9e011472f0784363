import Synchronization

/// The interest of a stream in one recipient, for as long as it is kept.
package final class Watch: Sendable {
  let recipient: UInt32
  private let watchers: Watchers

  init(_ recipient: UInt32, telling signal: StreamSignal, in watchers: Watchers) {
    self.recipient = recipient
    self.watchers = watchers
    watchers.add(signal, for: recipient, as: ObjectIdentifier(self))
  }

  deinit {
    watchers.remove(ObjectIdentifier(self), of: recipient)
  }
}

/// Who is to be told when something has been recorded for a recipient.
final class Watchers: Sendable {
  private let signals = Mutex<[UInt32: [ObjectIdentifier: StreamSignal]]>([:])
  /// Beside the signals, so that a turn finds out for next to nothing that nobody listens.
  private let open = Atomic(0)

  /// How many streams are open.
  var count: Int { open.load(ordering: .acquiring) }

  var isEmpty: Bool { count == 0 }

  func add(_ signal: StreamSignal, for recipient: UInt32, as identity: ObjectIdentifier) {
    signals.withLock { $0[recipient, default: [:]][identity] = signal }
    open.add(1, ordering: .releasing)
  }

  func remove(_ identity: ObjectIdentifier, of recipient: UInt32) {
    open.subtract(1, ordering: .releasing)
    signals.withLock { signals in
      signals[recipient]?[identity] = nil
      if signals[recipient]?.isEmpty ?? false { signals[recipient] = nil }
    }
  }

  /// - Parameter recipients: those whom a turn has dealt with, and whether they are still there.
  func tell(of recipients: some Sequence<(row: UInt32, isThere: Bool)>) {
    signals.withLock { signals in
      for (row, isThere) in recipients {
        guard let listeners = signals[row] else { continue }
        for signal in listeners.values { signal.send(isThere ? .deliveries : .erasure) }
      }
    }
  }
}
