import Postgres
import Reminders
import Store

/// A notification with its recipient's name and its message.
struct DeliveryRow {
  /// The columns that a statement must select first, in this order, with notification `n`,
  /// recipient `r` and message `m`.
  static let columns = "\(NotificationRow.columns), r.name, \(MessageRow.columns)"
  /// The number of these columns; other columns follow.
  static let columnCount = name + 1 + MessageRow.columnCount

  /// Joins the recipient and the message of a notification.
  static let joins = """
    JOIN recipient r ON r.id = n.recipient AND r.shard = n.shard
    JOIN message m ON m.id = n.message
    """

  private static let name = NotificationRow.columnCount

  let notification: NotificationRow
  let recipient: String
  let message: Message

  init(_ row: PostgresRow) throws {
    notification = try NotificationRow(row)
    recipient = row.text(Self.name)
    message = MessageRow.message(row, from: Self.name + 1)
  }

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

  /// Returns a delivery for each wanted channel of the notification.
  func deliveries(on wanted: ChannelSet, of instance: String) -> [Delivery] {
    guard notification.isDelivered else { return [] }
    return notification.channels.intersection(wanted).channels.map {
      delivery(on: $0, of: instance)
    }
  }
}
