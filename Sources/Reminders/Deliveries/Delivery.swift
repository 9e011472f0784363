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
  package var reminder: String
  package var category: String
  package var channel: Channel
  package var planned: Instant
  /// When it was decided.
  package var at: Instant
  package var title: String
  package var body: String

  package init(
    instance: String, notification: Int64, row: UInt32, recipient: String, reminder: String,
    category: String, channel: Channel, planned: Instant, at: Instant, title: String, body: String
  ) {
    self.instance = instance
    self.notification = notification
    self.row = row
    self.recipient = recipient
    self.reminder = reminder
    self.category = category
    self.channel = channel
    self.planned = planned
    self.at = at
    self.title = title
    self.body = body
  }

  /// The same at every attempt, so that a sink can tell a repetition (rule D1).
  package var identifier: String { "\(instance)-\(notification)" }
}
