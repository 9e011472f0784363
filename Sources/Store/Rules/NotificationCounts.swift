import Reminders

/// Counters of a recipient's notifications, which are kept up to date so that no query has to count
/// (rules N1, N6). All stores use this type.
package struct NotificationCounts: Hashable, Sendable {
  /// The latest notification, which is the head of the chain; 0 if there is none.
  package var head: Int64 = 0
  /// The number of delivered notifications that are not dismissed.
  package var recent = 0
  /// The number of inbox items; `unread` is the number of unread ones.
  package var items = 0
  package var unread = 0
  /// The number of the last notification that was cleared; all earlier ones were cleared too. 0 if
  /// the recipient has never cleared the notifications.
  package var cleared: Int64 = 0

  package init() {}
}

extension NotificationCounts {
  /// Makes a notification the head of the chain.
  package mutating func record(_ number: Int64, isRecent: Bool) {
    head = number
    if isRecent { recent += 1 }
  }

  /// Decrements `recent`, because a recent notification was dismissed or removed, or was finally
  /// not sent.
  package mutating func removeRecent() {
    recent = max(0, recent - 1)
  }

  /// Counts a new, unread inbox item.
  package mutating func addItem() {
    items += 1
    unread += 1
  }

  package mutating func removeItem(isRead: Bool) {
    items = max(0, items - 1)
    if !isRead { readItem() }
  }

  /// Counts an unread inbox item as read.
  package mutating func readItem() {
    unread = max(0, unread - 1)
  }

  /// Marks all notifications as cleared, and sets the numbers of recent and inbox ones to 0.
  ///
  /// - Returns: the number of notifications that were recent before the call.
  package mutating func clear() -> Int {
    defer { (cleared, recent, items, unread) = (head, 0, 0, 0) }
    return recent
  }
}
