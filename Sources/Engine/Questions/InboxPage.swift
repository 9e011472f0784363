package import CivilTime
package import Reminders

/// A page of a recipient's inbox, newest first (rules N1, N11).
package struct InboxPage: Sendable {
  package struct Item: Sendable {
    /// The id of the notification that the item belongs to.
    package var identifier: String
    /// The instant at which the notification was decided.
    package var at: Instant
    package var isRead: Bool
    package var message: Message

    package init(identifier: String, at: Instant, isRead: Bool, message: Message) {
      self.identifier = identifier
      self.at = at
      self.isRead = isRead
      self.message = message
    }
  }

  package var counts: InboxCounts
  /// The recipient's zone.
  package var zone: Zone
  package var items: [Item] = []
  /// The cursor of the next page; nil at the end. A page may be shorter than its limit, because the
  /// search is bounded.
  package var next: Int64?

  package init(counts: InboxCounts = InboxCounts(), zone: Zone) {
    self.counts = counts
    self.zone = zone
  }
}
