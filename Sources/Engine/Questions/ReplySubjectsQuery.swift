package import CivilTime
package import Reminders
package import Store

/// Selects the recipients with a telephone number, for a reply from that number (rule D14).
package struct ReplySubjectsQuery: EngineQuery {
  /// The number of latest notifications of a recipient that are examined.
  private static let notificationsMax = 32

  package struct Subject: Sendable {
    package let recipient: Recipient
    /// The latest notifications that were sent by SMS, the latest first.
    package let notifications: [PastNotification]
  }

  package let number: PhoneNumber

  package init(_ number: PhoneNumber) {
    self.number = number
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> [Subject] {
    try questions.readers.read { transaction in
      try transaction.recipients(with: number).map { stored in
        Subject(
          recipient: stored.recipient, notifications: try Self.texted(to: stored, transaction))
      }
    }
  }

  private static func texted(
    to stored: StoredRecipient, _ transaction: any StoreReader
  ) throws -> [PastNotification] {
    let history = try transaction.notificationHistory(
      of: stored, after: nil, limit: notificationsMax)
    let numbers = history.map(\.own)
      .filter { $0.outcome == .delivered && $0.channels.contains(ChannelSet(.sms)) }
      .map(\.notification)
    let found = try transaction.notifications(numbers)
    return numbers.compactMap { found[$0]?.past }
  }
}
