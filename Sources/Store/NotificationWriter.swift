package import CivilTime
package import Reminders

/// Records notifications and what recipients do with them.
package protocol NotificationWriter {
  /// The highest notification number assigned, whether or not it still exists; 0 if none was.
  /// Numbers from a failed unit of work may be missing.
  var lastNotification: Int64 { get }

  /// Counts this process's notifications after the given one, whose numbers may have gaps.
  ///
  /// - Complexity: O(*n*) in these notifications.
  func notificationCount(after notification: Int64) throws -> Int

  /// Records outcomes in order: in the chain of each recipient, and for the channel `inapp` also in
  /// the inbox (rule D1).
  ///
  /// - Parameters:
  ///   - notifications: those of one recipient must be adjacent.
  ///   - batch: the recipients. Their counters are updated and must be saved.
  /// - Returns: each notification's number, or nil if the occurrence already has an outcome that
  ///   this one does not replace (`Outcome.replaces`): then it must not be sent again.
  func record(
    _ notifications: [NotificationRecord], of batch: inout [StoredRecipient]
  ) throws -> [Int64?]

  /// The occurrences of a recipient that were dropped after a notification, in order.
  func drops(of stored: StoredRecipient, after last: Int64) throws -> [DroppedOccurrence]

  /// Marks inbox items as read, and closes the batches that they are about.
  ///
  /// - Returns: the number of these items that are in the inbox.
  func read(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int

  func readAll(of stored: inout StoredRecipient, now: Instant) throws

  /// Dismisses a delivered notification: it is no longer recent nor in the inbox.
  ///
  /// - Returns: whether it was there.
  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool

  /// The notifications that a recipient has not dismissed, the latest first.
  ///
  /// - Parameter most: the maximum number of notifications to look at.
  func recent(
    of stored: StoredRecipient, most: Int
  ) throws -> [(category: String, channels: ChannelSet)]

  /// Dismisses all delivered notifications: none is recent or in the inbox.
  ///
  /// - Returns: how many there were.
  func clear(_ stored: inout StoredRecipient) throws -> Int
}
