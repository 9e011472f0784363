package import CivilTime
package import Reminders

/// A page of a recipient's notifications, newest first.
package struct NotificationHistory: Sendable {
  package struct Entry: Sendable {
    /// The id of the notification.
    package var identifier: String
    /// The instant for which the occurrence was planned.
    package var planned: Instant
    /// The instant at which the notification was decided.
    package var at: Instant
    /// The state of all channels together.
    package var state: NotificationState
    /// The history of each channel.
    package var deliveries: [DeliveryHistory]
    /// The channels on which the notification was or will be sent, including fallbacks.
    package var channels: ChannelSet
    /// Whether the notification makes no sound.
    package var isSilent: Bool
    /// The names of the gates that held back or dropped the notification.
    package var reasons: [String]
    /// Whether the recipient has dismissed the notification.
    package var isDismissed: Bool
    /// Whether the notification's inbox item is read; nil if it has none.
    package var isRead: Bool?
    package var message: Message
  }

  /// The recipient's name.
  package var recipient: String
  /// The recipient's zone.
  package var zone: Zone
  package var now: Instant
  package var counts: InboxCounts
  /// Whether an occurrence is pending.
  package var hasPending: Bool
  package var entries: [Entry]
  /// The cursor of the next page; nil at the end. A page may be shorter than its limit, because the
  /// search is bounded.
  package var next: Int64?
  /// Whether the query selected exactly the recent notifications: those sent and not dismissed.
  package var selectsRecent = false

  /// Whether nothing is pending and nothing is recent (rule N6).
  package var isCaughtUp: Bool {
    !hasPending && (counts.recent == 0 || selectsRecent && entries.isEmpty && next == nil)
  }
}
