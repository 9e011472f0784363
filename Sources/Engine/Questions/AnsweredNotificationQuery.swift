package import CivilTime
package import Reminders
package import Store

/// Selects a notification and its recipient by the notification's id alone; the answer is nil if
/// either is unknown or erased.
package struct AnsweredNotificationQuery: EngineQuery {
  /// The notification, and the current state of its recipient.
  package struct Found: Sendable {
    package var recipient: Recipient
    package var notification: PastNotification

    package init(recipient: Recipient, notification: PastNotification) {
      self.recipient = recipient
      self.notification = notification
    }
  }

  package var notification: String

  /// Creates the query for the notification with an id.
  package init(_ notification: String) {
    self.notification = notification
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Found? {
    try questions.answered(notification)
  }
}

extension Questions {
  fileprivate func answered(
    _ identifier: String
  ) throws(StoreError) -> AnsweredNotificationQuery.Found? {
    guard let number = number(of: identifier) else { return nil }
    return try readers.read { transaction in
      guard let storedNotification = try transaction.notifications([number])[number],
        let stored = try transaction.recipient(row: storedNotification.row),
        try transaction.recipient(named: stored.recipient.name)?.row == storedNotification.row
      else { return nil }
      return AnsweredNotificationQuery.Found(
        recipient: stored.recipient, notification: storedNotification.past)
    }
  }
}
