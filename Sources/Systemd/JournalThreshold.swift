import Synchronization

/// How much an entry has to matter to be written; it may be changed at any time, on any thread.
package final class JournalThreshold: Sendable {
  private let value: Atomic<Int32>

  package init(_ priority: JournalPriority = .informational) {
    value = Atomic(priority.rawValue)
  }

  package var priority: JournalPriority {
    get { JournalPriority(rawValue: value.load(ordering: .relaxed)) ?? .informational }
    set { value.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// What matters more has the lower number.
  func lets(_ priority: JournalPriority) -> Bool { priority.rawValue <= self.priority.rawValue }
}
