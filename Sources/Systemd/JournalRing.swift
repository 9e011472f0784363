import Synchronization

/// The latest journal entries, in memory: for API clients without access to the machine's journal.
///
/// The ring contains only entries with a `MessageKind`. It leaves out deliveries of the `journal`
/// sink, because they have a title and a body (rule S3), and the logs of libraries.
package final class JournalRing: Sendable {
  package struct Item: Sendable {
    /// The entry's number, which ascends from 1 at the start of the process.
    package let number: Int64
    package let time: Timestamp
    package let entry: JournalEntry
  }

  private struct State {
    /// The stored entries, the oldest first.
    var items: [Item] = []
    /// The number of the latest entry; 0 if there are no entries.
    var last: Int64 = 0
  }

  /// A subscription to new entries; it ends when this object is released.
  package final class Watch: Sendable {
    private let ring: JournalRing

    fileprivate init(_ ring: JournalRing) {
      self.ring = ring
    }

    deinit {
      _ = ring.watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
  }

  private let capacity: Int
  private let state = Mutex(State())
  /// The functions that are called after each new entry, by their subscriptions.
  private let watchers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// - Parameter capacity: the minimum number of latest entries that are stored; at most twice as
  ///   many are stored.
  package init(capacity: Int) {
    self.capacity = max(capacity, 1)
  }

  func append(_ entry: JournalEntry, at time: Timestamp = .now) {
    state.withLock { state in
      state.last += 1
      if state.items.count >= 2 * capacity {
        state.items.removeFirst(state.items.count - capacity + 1)
      }
      state.items.append(Item(number: state.last, time: time, entry: entry))
    }
    for notify in watchers.withLock({ $0.values.map(\.self) }) { notify() }
  }

  /// Begins a subscription to new entries.
  ///
  /// - Parameter notify: called after each new entry, on the thread that sends the entry. It must
  ///   neither block nor send an entry itself.
  package func watch(_ notify: @escaping @Sendable () -> Void) -> Watch {
    let watch = Watch(self)
    watchers.withLock { $0[ObjectIdentifier(watch)] = notify }
    return watch
  }

  /// The number of the latest entry; 0 if there are no entries.
  package var last: Int64 { state.withLock(\.last) }

  /// The stored entries after this number, the oldest first.
  package func items(after number: Int64) -> ArraySlice<Item> {
    state.withLock { state in
      let lastDropped = Int64(state.items.first?.number ?? 1) - 1
      let count = min(max(number - lastDropped, 0), Int64(state.items.count))
      return state.items.dropFirst(Int(count))
    }
  }
}
