import Postgres
import Reminders
import Store

/// A notification with its recipient's name and its message.
struct DeliveryRow {
  /// The columns that a statement must select first, in this order, with notification `n`,
  /// recipient `r` and message `m`.
  static let columns = "\(NotificationRow.columns), r.name, \(MessageRow.columns)"
  /// The number of these columns; other columns may follow.
  static let columnCount = nameColumn + 1 + MessageRow.columnCount

  /// Joins the recipient and the message of a notification.
  static let joins = """
    JOIN recipient r ON r.id = n.recipient AND r.shard = n.shard
    JOIN message m ON m.id = n.message
    """

  /// The index of the column with the recipient's name.
  private static let nameColumn = NotificationRow.columnCount

  let notification: NotificationRow
  /// The name of the recipient.
  let recipient: String
  let message: Message

  init(_ row: PostgresRow) throws {
    notification = try NotificationRow(row)
    recipient = row.text(Self.nameColumn)
    message = MessageRow.message(row, from: Self.nameColumn + 1)
  }

  /// - Parameter instance: the store's own name, which is a part of public ids.
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

  /// Returns a delivery for each of these channels of the notification.
  func deliveries(on sinkChannels: ChannelSet, of instance: String) -> [Delivery] {
    guard notification.isDelivered else { return [] }
    return notification.channels.intersection(sinkChannels).channels.map {
      delivery(on: $0, of: instance)
    }
  }
}
