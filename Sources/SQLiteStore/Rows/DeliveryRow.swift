import CivilTime
import Reminders

/// A notification with the name of its recipient and what it says, which are what was written.
struct DeliveryRow {
  /// What a statement selects, in this order, of a notification `n` to a recipient `r` with a
  /// message `m`; what else it selects comes behind.
  static let columns =
    "\(NotificationRow.columns), \(RecipientRow.nameColumns), \(MessageRow.columns)"
  /// Where that begins.
  static let columnCount = texts + MessageRow.columnCount

  private static let name = NotificationRow.columnCount
  private static let texts = name + RecipientRow.nameColumnCount

  let notification: NotificationRow
  let recipient: String
  let message: Message

  init(_ row: HotStatement) throws {
    notification = try NotificationRow(row)
    recipient = try RecipientRow.name(row, from: Self.name)
    message = try MessageRow.message(row, from: Self.texts, number: notification.message)
  }

  func delivery(on channel: Channel, of instance: String) -> Delivery {
    var delivery = Delivery(
      instance: instance, notification: notification.number, row: notification.recipient,
      recipient: recipient, channel: channel, isSilent: notification.isSilent,
      planned: notification.planned, at: notification.at, expiry: notification.expiry,
      message: message)
    delivery.hints = notification.hints
    delivery.key = notification.key
    delivery.offset = notification.offset
    return delivery
  }
}
