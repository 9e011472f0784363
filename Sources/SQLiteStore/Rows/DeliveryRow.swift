import CivilTime
import Reminders
import Store

/// A notification with its recipient's name and its message, verified by their checksums.
struct DeliveryRow {
  /// The columns that a statement must select first, in this order, with notification `n`,
  /// recipient `r` and message `m`.
  static let columns =
    "\(NotificationRow.columns), \(RecipientRow.nameColumns), \(MessageRow.columns)"
  /// The number of these columns; other columns may follow.
  static let columnCount = messageColumn + MessageRow.columnCount

  private static let nameColumn = NotificationRow.columnCount
  private static let messageColumn = nameColumn + RecipientRow.nameColumnCount

  let notification: NotificationRow
  /// The recipient's name.
  let recipient: String
  let message: Message

  init(_ row: HotStatement) throws {
    notification = try NotificationRow(row)
    recipient = try RecipientRow.name(row, from: Self.nameColumn)
    message = try MessageRow.message(row, from: Self.messageColumn, number: notification.message)
  }

  /// Returns the delivery of the notification on a channel.
  ///
  /// - Parameter instance: the store's own name.
  func delivery(on channel: Channel, of instance: String) -> Delivery {
    var delivery = Delivery(
      instance: instance, notification: notification.number, row: notification.recipient,
      recipient: recipient, channel: channel, isSilent: notification.isSilent,
      planned: notification.planned, at: notification.at, expiry: notification.expiry,
      message: message)
    delivery.hints = notification.hints
    delivery.key = notification.key
    delivery.round = notification.round
    delivery.offset = notification.offset
    return delivery
  }
}
