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
  package var counts = NotificationCounts()

  package init(
    row: UInt32, recipient: consuming Recipient, lastEvent: Int64, pending: Int, due: Instant?,
    hasNews: Bool = false, counts: NotificationCounts = NotificationCounts()
  ) {
    self.row = row
    self.recipient = recipient
    self.lastEvent = lastEvent
    self.pending = pending
    self.due = due
    self.hasNews = hasNews
    self.counts = counts
  }
}

/// Whether an event has been here before (rule E1).
package enum EventMatch: Sendable {
  case new(slot: Int64)
  case same
  /// The same source and id, another content.
  case other
}

/// What is known of an event before it is taken in.
package struct EventPlace: Sendable {
  /// Where its identity belongs, unless others have the same hash.
  package var slot: Int64
  /// Whether it is known that no event on disk has its place.
  package var isFree: Bool
  /// What an event on disk makes of it; nil if none does.
  package var match: EventMatch?

  package init(slot: Int64, isFree: Bool, match: EventMatch? = nil) {
    self.slot = slot
    self.isFree = isFree
    self.match = match
  }
}

/// A recipient in a list.
package struct ListedRecipient: Hashable, Sendable {
  package var name: String
  /// How much is pending for them.
  package var pending: Int
  /// When something is due next.
  package var due: Instant?

  package init(name: String, pending: Int = 0, due: Instant? = nil) {
    self.name = name
    self.pending = pending
    self.due = due
  }
}
