package import CivilTime
package import Reminders

/// A recipient with what the store knows beside them.
package struct StoredRecipient: Sendable {
  package var row: UInt32
  package var recipient: Recipient
  /// The latest event's row, the head of the chain through all of the recipient's events.
  package var lastEvent: Int64
  /// How much was pending when the schedule was last written.
  package var pending: Int
  /// When the schedule says that something is due.
  package var due: Instant?
  /// Whether the recipient's row, which holds the facts, is not in the store as they are here.
  package var hasNews = false

  /// What they have been told, counted.
  package var ledger = Ledger()
}
