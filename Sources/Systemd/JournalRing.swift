import Synchronization

/// The latest entries of the journal, in memory: for who looks at the service over its interface
/// and has no access to the machine's journal.
///
/// Only what `Journal` tells by a `MessageKind` is kept: a delivery of the `journal` sink, which
/// has a title and a body (S3), and what libraries log are not.
package final class JournalRing: Sendable {
  package struct Item: Sendable {
    /// Ascending, from 1 at the start of the process.
    package let number: Int64
    package let time: Timestamp
    package let entry: JournalEntry
  }

  private struct State {
    var items: [Item] = []
    var last: Int64 = 0
  }

  /// Somebody who is told of new entries, for as long as it is kept.
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
  private let watchers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// - Parameter capacity: how many entries are kept at least; up to twice as many may be.
  package init(capacity: Int) {
    self.capacity = max(capacity, 1)
  }

  func keep(_ entry: JournalEntry, at time: Timestamp = .now) {
    state.withLock { state in
      state.last += 1
      if state.items.count >= 2 * capacity {
        state.items.removeFirst(state.items.count - capacity + 1)
      }
      state.items.append(Item(number: state.last, time: time, entry: entry))
    }
    for tell in watchers.withLock({ $0.values.map(\.self) }) { tell() }
  }

  /// - Parameter tell: called with each entry that is kept from now on, by whoever sends it; so it
  ///   must neither wait nor send one itself.
  package func watch(_ tell: @escaping @Sendable () -> Void) -> Watch {
    let watch = Watch(self)
    watchers.withLock { $0[ObjectIdentifier(watch)] = tell }
    return watch
  }

  /// The number of the latest entry; 0 if there was none.
  package var last: Int64 { state.withLock(\.last) }

  /// What is kept behind an entry, the oldest first.
  package func items(after number: Int64) -> ArraySlice<Item> {
    state.withLock { state in
      let known = Int64(state.items.first?.number ?? 1) - 1
      let count = min(max(number - known, 0), Int64(state.items.count))
      return state.items.dropFirst(Int(count))
    }
  }
}
