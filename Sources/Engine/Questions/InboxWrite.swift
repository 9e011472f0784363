import CivilTime
import Reminders
import Store

extension InboxCounts {
  init(_ counts: NotificationCounts) {
    self.init(items: counts.items, unread: counts.unread, recent: counts.recent)
  }
}

/// Counts of a recipient's delivered notifications.
package struct InboxCounts: Hashable, Sendable {
  /// The number of items in the inbox, and of unread ones.
  package var items: Int
  package var unread: Int
  /// The number of notifications sent on any channel and not dismissed, arrived or not.
  package var recent: Int

  package init(items: Int = 0, unread: Int = 0, recent: Int = 0) {
    self.items = items
    self.unread = unread
    self.recent = recent
  }
}

/// A recipient's action on delivered notifications.
package enum InboxWrite: Sendable {
  /// Marks the items of these notification ids as read. Ids of other recipients' notifications are
  /// ignored (rule N3).
  case read([String])
  /// Marks all items as read.
  case readAll
  /// Dismisses the delivered notification with an id.
  case dismiss(String)
  /// Dismisses all delivered notifications; pending ones remain.
  case clear
}

/// The result of an `InboxWrite`.
package struct InboxReceipt: Hashable, Sendable {
  /// The number of notifications affected.
  package var count: Int
  /// The recipient's counts after the action.
  package var counts: InboxCounts

  package init(count: Int, counts: InboxCounts) {
    self.count = count
    self.counts = counts
  }
}
