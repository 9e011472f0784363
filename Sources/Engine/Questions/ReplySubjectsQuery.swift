package import CivilTime
package import Reminders
package import Store

/// Selects the recipients with a telephone number, for a reply from that number (rules D14, D15).
package struct ReplySubjectsQuery: EngineQuery {
  /// The number of latest notifications of a recipient that are examined.
  private static let notificationsMax = 256
  /// The number of latest events of a recipient that are examined.
  private static let eventsMax = 64

  package struct Subject: Sendable {
    package let recipient: Recipient
    /// The notifications that an SMS has delivered, the latest first.
    package let notifications: [Texted]
    /// The ids of the latest events that the service itself reported, such as earlier replies.
    package let reported: Set<String>
  }

  /// A notification that an SMS has delivered.
  package struct Texted: Sendable {
    package let notification: PastNotification
    /// The instant at which a sink accepted the SMS, if it is recorded, or else of the decision.
    package let at: Instant
    package let isDismissed: Bool
  }

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
          notifications: readsNotifications ? try Self.texted(to: stored, transaction) : [],
          reported: try Self.reported(of: stored, transaction))
      }
    }
  }

  private static func texted(
    to stored: StoredRecipient, _ transaction: any StoreReader
  ) throws -> [Texted] {
    let history = try transaction.notificationHistory(
      of: stored, after: nil, limit: notificationsMax
    ).filter { $0.own.outcome == .delivered && $0.own.channels.contains(ChannelSet(.sms)) }
    let numbers = history.map(\.own.notification)
    let found = try transaction.notifications(numbers)
    let states = try transaction.deliveryStates(of: numbers)
    return history.compactMap { entry in
      let number = entry.own.notification
      guard let past = found[number]?.past,
        let sms = states[number]?.first(where: { $0.channel == .sms }),
        NotificationState.delivered.contains(sms.publicState)
      else { return nil }
      let accepted = sms.attempts.last { $0.verdict == .delivered }
      return Texted(
        notification: past, at: accepted?.at ?? past.at, isDismissed: entry.isDismissed)
    }
  }

  private static func reported(
    of stored: StoredRecipient, _ transaction: any StoreReader
  ) throws -> Set<String> {
    let latest = try transaction.events(
      of: stored.row, from: stored.lastEvent, limit: eventsMax
    ).events
    return Set(latest.filter { $0.source == Event.ownSource }.map(\.identifier))
  }
}
