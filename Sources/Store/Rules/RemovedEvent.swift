package import Reminders

/// An event that is about to be removed.
package struct RemovedEvent: Sendable {
  /// The row of the recipient.
  package let row: UInt32
  package let event: StoredEvent
  /// The arrival number of the recipient's previous event; 0 for the first.
  package let previous: Int64

  package init(row: UInt32, event: StoredEvent, previous: Int64) {
    (self.row, self.event, self.previous) = (row, event, previous)
  }
}
