package import CivilTime

/// A notification on one channel: what a sink is handed.
package struct Delivery: Hashable, Sendable {
  /// The store that it comes from; two stores number their notifications alike.
  package var instance: String
  /// The notification's row, ascending in the order of decision; a lane's place is such a number.
  package var notification: Int64
  /// The recipient's row.
  package var row: UInt32
  package var recipient: String
  /// That of its occurrence.
  package var key: Int64 = 0
  package var channel: Channel
  /// Whether it is to make no sound (rule V3).
  package var isSilent: Bool
  /// How the person wants what pops up to be shown.
  package var hints: Hints = []
  /// How much it presses; filled in for sinks that need an addressee.
  package var urgency = Urgency.normal
  package var planned: Instant
  /// When it was decided.
  package var at: Instant
  /// The last instant at which it is worth delivering (rule T7).
  package var expiry: Instant
  package var caption: Caption
  /// Where and how to reach the person; for sinks that need it, nil for all others.
  package var addressee: Addressee?

  package init(
    instance: String, notification: Int64, row: UInt32, recipient: String, channel: Channel,
    isSilent: Bool, planned: Instant, at: Instant, expiry: Instant, caption: Caption
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
    self.caption = caption
  }

  package var reminder: String { caption.reminder }
  package var category: String { caption.category }
  package var title: String { caption.title }
  package var body: String { caption.body(on: channel, hints) }

  /// The same at every attempt, so that a sink can tell a repetition (rule D1).
  package var identifier: String { NotificationID(instance, notification).description }
}
