package import CivilTime
package import Reminders
package import Store

/// Selects the recipients with a telephone number, for a reply from that number (rules D14, D15).
package struct ReplySubjectsQuery: EngineQuery {
  /// The maximum number of a recipient's latest notifications that are examined.
  private static let notificationsMax = 256
  /// The maximum number of a recipient's latest events that are examined.
  private static let eventsMax = 64

  /// A recipient with the telephone number.
  package struct Subject: Sendable {
    package let recipient: Recipient
    /// The notifications that were delivered by SMS, the latest first; empty if they are not read.
    package let notifications: [SMSNotification]
    /// The ids of the events that the service itself reported, such as earlier replies, among the
    /// recipient's latest events.
    package let reportedEventIDs: Set<String>
  }

  /// A notification that was delivered by SMS.
  package struct SMSNotification: Sendable {
    package let notification: PastNotification
    /// When a sink accepted the SMS; if that is not recorded, when the notification was decided.
    package let at: Instant
    /// Whether the recipient has dismissed the notification.
    package let isDismissed: Bool
  }

  /// The number from which the reply comes.
  package let number: PhoneNumber
  /// Whether the notifications are read.
  package let readsNotifications: Bool

  package init(_ number: PhoneNumber, readsNotifications: Bool) {
    (self.number, self.readsNotifications) = (number, readsNotifications)
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> [Subject] {
    try questions.readers.read { transaction in
      try transaction.recipients(with: number).map { stored in
        Subject(
          recipient: stored.recipient,
          notifications: readsNotifications
            ? try Self.smsNotifications(to: stored, transaction) : [],
          reportedEventIDs: try Self.reportedEventIDs(of: stored, transaction))
      }
    }
  }

  private static func smsNotifications(
    to stored: StoredRecipient, _ transaction: any StoreReader
  ) throws -> [SMSNotification] {
    let history = try transaction.notificationHistory(
      of: stored, after: nil, limit: notificationsMax
    ).filter { $0.own.outcome == .delivered && $0.own.channels.contains(ChannelSet(.sms)) }
    let numbers = history.map(\.own.notification)
    let notifications = try transaction.notifications(numbers)
    let states = try transaction.deliveryStates(of: numbers)
    return history.compactMap { entry in
      let number = entry.own.notification
      guard let past = notifications[number]?.past,
        let sms = states[number]?.first(where: { $0.channel == .sms }),
        NotificationState.delivered.contains(sms.publicState)
      else { return nil }
      let accepted = sms.attempts.last { $0.verdict == .delivered }
      return SMSNotification(
        notification: past, at: accepted?.at ?? past.at, isDismissed: entry.isDismissed)
    }
  }

  private static func reportedEventIDs(
    of stored: StoredRecipient, _ transaction: any StoreReader
  ) throws -> Set<String> {
    let latest = try transaction.events(
      of: stored.row, from: stored.lastEvent, limit: eventsMax
    ).events
    return Set(latest.filter { $0.source == Event.ownSource }.map(\.identifier))
  }
}
