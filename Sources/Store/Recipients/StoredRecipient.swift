package import CivilTime
package import Reminders

/// A recipient with the row, schedule and counters that the store has for the recipient.
package struct StoredRecipient: Sendable {
  /// The number of the recipient, which is never reused.
  package var row: UInt32
  package var recipient: Recipient
  /// The arrival number of the latest event, the head of the chain of all the recipient's events;
  /// 0 if there is none.
  package var lastEvent: Int64
  /// The number of pending occurrences when the schedule was last written.
  package var pending: Int
  /// The instant at which the schedule's next occurrence is due; nil if nothing is due.
  package var due: Instant?
  /// Whether the facts here differ from the stored row, so that the row has to be written.
  package var hasUnsavedFacts = false

  /// The counters of the recipient's notifications.
  package var counts = NotificationCounts()

  package init(
    row: UInt32, recipient: consuming Recipient, lastEvent: Int64, pending: Int, due: Instant?,
    hasUnsavedFacts: Bool = false, counts: NotificationCounts = NotificationCounts()
  ) {
    self.row = row
    self.recipient = recipient
    self.lastEvent = lastEvent
    self.pending = pending
    self.due = due
    self.hasUnsavedFacts = hasUnsavedFacts
    self.counts = counts
  }
}

/// The result of comparing an event with earlier events (rule E1).
package enum EventMatch: Sendable {
  /// No stored event has the same source and id. The slot is free for the event.
  case new(slot: Int64)
  /// An earlier event has the same source, id and content.
  case same
  /// An earlier event has the same source and id, but other content.
  case other
}

/// The result of looking up an event before it is ingested.
package struct EventLookup: Sendable {
  /// The event's slot in the table of identities, if no other identity has the same hash.
  package var slot: Int64
  /// Whether the slot is known to be free on disk.
  package var isFree: Bool
  /// The match with an event on disk; nil if no event matches.
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
  /// The number of pending occurrences.
  package var pending: Int
  /// The instant at which the next occurrence is due; nil if there is none.
  package var due: Instant?
  /// The name in the profile; nil if there is none or it was not read.
  package var profileName: String?

  package init(
    name: String, pending: Int = 0, due: Instant? = nil, profileName: String? = nil
  ) {
    self.name = name
    self.pending = pending
    self.due = due
    self.profileName = profileName
  }
}

extension StoredRecipient {
  /// The events from which chains of previous events lead to all stored events of the recipient,
  /// the latest first.
  ///
  /// - Parameter base: the base of the recipient's facts.
  package func eventHeads(with base: FactBase?) -> [Int64] {
    [lastEvent] + (base?.earlierEvents.reversed() ?? [])
  }
}
