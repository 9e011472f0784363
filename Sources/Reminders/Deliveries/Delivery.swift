package import CivilTime

/// A notification on one channel, as dispatched to a sink.
package struct Delivery: Hashable, Sendable {
  /// The store's identifier. Notifications of different stores can have the same number.
  package var instance: String
  /// The number of the notification's row. Later notifications have higher numbers. The cursor of a
  /// lane, which is a sink's queue, is such a number.
  package var notification: Int64
  /// The recipient's row.
  package var row: UInt32
  /// The id of the recipient.
  package var recipient: String
  /// The key of the delivery's occurrence.
  package var key: Int64 = 0
  /// The round of the delivery's occurrence (rule N8): 0 for the first one. Otherwise the arrival
  /// number of the event after which the occurrence is sent again, such as a snooze.
  package var round: Int64 = 0
  package var channel: Channel
  /// Whether the delivery makes no sound (rule V3).
  package var isSilent: Bool
  /// The recipient's settings for sound, vibration, badge and preview.
  package var hints: Hints = []
  /// The urgency of the reminder or category. It is set only for sinks that need an addressee.
  package var urgency = Urgency.normal
  /// The instant for which the notification's occurrence was planned.
  package var planned: Instant
  /// The instant at which the gates passed the notification.
  package var at: Instant
  /// The last instant at which the notification may be delivered (rule T7).
  package var expiry: Instant
  /// The offset of the recipient's zone from UTC at `at`; nil if `Usage` does not count the
  /// delivery.
  package var offset: ClockOffset?
  package var message: Message
  /// The instant of the decision to withdraw the accepted delivery (rule D16); nil for a delivery
  /// that is to be shown.
  package var withdrawnAt: Instant?
  /// The addresses of the recipient; nil for sinks that do not need them.
  package var addressee: Addressee?
  /// Whether the sink sends no text of the message, so that the app fetches it (rule D17).
  package var isFetched = false

  package init(
    instance: String, notification: Int64, row: UInt32, recipient: String, channel: Channel,
    isSilent: Bool, planned: Instant, at: Instant, expiry: Instant, message: Message
  ) {
    self.instance = instance
    self.notification = notification
    self.row = row
    self.recipient = recipient
    self.channel = channel
    self.isSilent = isSilent
    self.planned = planned
    self.at = at
    self.expiry = expiry
    self.message = message
  }

  /// The name of the delivery's occurrence. The name for a requested notification includes the
  /// category.
  package var occurrenceName: Symbol {
    reminder == Reminder.requested ? Symbol("\(reminder) \(category)") : Symbol(reminder)
  }

  package var reminder: String { message.reminder }
  package var category: String { message.category }
  /// The message as the channel shows it. Sinks and streams read no other texts.
  package var shownMessage: Message {
    guard isFetched else { return message.shown(on: channel, hints) }
    return message.toFetch(in: addressee?.locale.flatMap { LanguageTag($0) })
  }
  package var title: String { shownMessage.title }
  package var body: String { shownMessage.body(on: channel, hints) }

  package var isWithdrawal: Bool { withdrawnAt != nil }

  /// Turns the delivery into its own withdrawal, which is attempted for a day.
  package mutating func withdraw(at decision: Instant) {
    (withdrawnAt, expiry, isSilent) = (decision, decision + .days(1), true)
  }

  /// The identifier, which is equal for all attempts, so that a delivery service can recognize a
  /// repetition (rule D1).
  package var identifier: String { NotificationID(instance, notification).description }
}

/// The known addresses of a recipient, with the zone and the language, for the sinks that need
/// them.
package final class Addressee: Hashable, Sendable {
  /// The zone's name in the tz database.
  package let zone: String
  /// The recipient's language, as a BCP 47 tag.
  package let locale: String?
  /// The recipient's name in the profile; nil if it is unknown.
  package let displayName: String?
  package let email: String?
  package let phone: String?
  /// The recipient's devices that have a push token.
  package let devices: [Device]

  package init(
    zone: String, locale: String? = nil, displayName: String? = nil, email: String? = nil,
    phone: String? = nil, devices: [Device] = []
  ) {
    self.zone = zone
    self.locale = locale
    self.displayName = displayName
    self.email = email
    self.phone = phone
    self.devices = devices.filter { $0.token != nil }
  }

  package static func == (one: Addressee, other: Addressee) -> Bool {
    one.zone == other.zone && one.locale == other.locale && one.displayName == other.displayName
      && one.email == other.email && one.phone == other.phone && one.devices == other.devices
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(zone)
    hasher.combine(email)
    hasher.combine(phone)
  }
}
