package import CivilTime
package import Reminders

/// How much a recipient has that was delivered.
package struct InboxCounts: Hashable, Sendable {
  /// The items of the inbox, and how many of them are unread.
  package var items: Int
  package var unread: Int
  /// What was delivered over any channel and not dismissed.
  package var recent: Int

  package init(items: Int = 0, unread: Int = 0, recent: Int = 0) {
    self.items = items
    self.unread = unread
    self.recent = recent
  }
}

/// A page of a recipient's inbox, the latest first (rule N1).
package struct InboxPage: Sendable {
  package struct Item: Sendable {
    /// The same as that of the notification that stands for it.
    package var identifier: String
    package var at: Instant
    package var isRead: Bool
    package var caption: Caption

    package init(identifier: String, at: Instant, isRead: Bool, caption: Caption) {
      self.identifier = identifier
      self.at = at
      self.isRead = isRead
      self.caption = caption
    }
  }

  package var counts: InboxCounts
  package var items: [Item]

  package init(counts: InboxCounts = InboxCounts(), items: [Item] = []) {
    self.counts = counts
    self.items = items
  }
}

/// What a person does with what was delivered to them.
package enum InboxWrite: Sendable {
  /// By identifiers; those that are not theirs are passed over (rule N3).
  case read([String])
  case readAll
  case dismiss(String)
  /// Dismisses all that was delivered; what is pending stays.
  case clear
}

/// What came of it.
package struct InboxReceipt: Hashable, Sendable {
  /// How many were found.
  package var count: Int
  package var counts: InboxCounts

  package init(count: Int, counts: InboxCounts) {
    self.count = count
    self.counts = counts
  }
}
