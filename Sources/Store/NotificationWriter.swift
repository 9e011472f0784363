package import CivilTime
package import Reminders

/// Records notifications, and the actions of recipients on them.
package protocol NotificationWriter {
  /// The highest notification number that was assigned, even if that notification was removed; 0 if
  /// none was assigned. A failed unit of work may leave a gap in the numbers.
  var lastNotification: Int64 { get }

  /// Counts the notifications after the given one that this process has recorded. Their numbers may
  /// have gaps, so the difference of numbers is not enough.
  ///
  /// - Complexity: O(*n*) in these notifications.
  func notificationCount(after notification: Int64) throws -> Int

  /// Records outcomes in order: in the chain of each recipient, and for the channel `inapp` also in
  /// the inbox (rule D1).
  ///
  /// - Parameters:
  ///   - notifications: the records. The records of one recipient must be adjacent.
  ///   - recipients: the recipients, whose counters are updated and must be saved.
  /// - Returns: each notification's number; nil for a notification that must not be sent. Its
  ///   occurrence already has an outcome that the new one does not replace (`Outcome.replaces`).
  func record(
    _ notifications: [NotificationRecord], of recipients: inout [StoredRecipient]
  ) throws -> [Int64?]

  /// Returns the occurrences of a recipient that were dropped after a notification, in order.
  ///
  /// - Parameter last: the number of that notification; 0 for all occurrences.
  func drops(of stored: StoredRecipient, after last: Int64) throws -> [DroppedOccurrence]

  /// Marks inbox items as read, and closes their batches: later notifications get other items.
  /// Notifications that share an item are a batch.
  ///
  /// - Returns: the number of these items that are in the inbox.
  func markAsRead(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int

  func markAllAsRead(of stored: inout StoredRecipient, now: Instant) throws

  /// Dismisses a delivered notification, which removes it from the recent ones and from the inbox.
  ///
  /// - Returns: whether the notification was delivered, individually or in a digest, and not
  ///   dismissed before.
  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool

  /// Returns the notifications that a recipient has not dismissed, the latest first.
  ///
  /// - Parameter limit: the maximum number of notifications to read.
  /// - Returns: the category and the channels of each notification.
  func recent(
    of stored: StoredRecipient, limit: Int
  ) throws -> [(category: String, channels: ChannelSet)]

  /// Dismisses all delivered notifications, so that none is recent or in the inbox.
  ///
  /// - Returns: the number of notifications that were recent before the call.
  func clear(_ stored: inout StoredRecipient) throws -> Int
}
