package import Reminders

/// What a recipient has been told, counted as it happens, so that no page and no badge has to count
/// (rules N1, N4). The same for every store.
package struct NotificationCounts: Hashable, Sendable {
  /// The latest notification, from which the others are reached; 0 for none.
  package var head: Int64 = 0
  /// How many that were delivered have not been dismissed.
  package var recent = 0
  /// How many items the inbox has, and how many of them are unread.
  package var items = 0
  package var unread = 0
  /// Everything up to this notification has been cleared.
  package var cleared: Int64 = 0

  package init() {}
}

extension NotificationCounts {
  /// A notification stands at the head of the others.
  package mutating func record(_ number: Int64, isRecent: Bool) {
    head = number
    if isRecent { recent += 1 }
  }

  /// What was recent has been dismissed, removed, or did not go out after all.
  package mutating func removeRecent() {
    recent = max(0, recent - 1)
  }

  /// The inbox has one item more, which nobody has read.
  package mutating func addItem() {
    items += 1
    unread += 1
  }

  package mutating func removeItem(isRead: Bool) {
    items = max(0, items - 1)
    if !isRead { readItem() }
  }

  package mutating func readItem() {
    unread = max(0, unread - 1)
  }

  /// Nothing is recent, and nothing is in the inbox.
  ///
  /// - Returns: how many were recent.
  package mutating func clear() -> Int {
    defer { (cleared, recent, items, unread) = (head, 0, 0, 0) }
    return recent
  }
}
