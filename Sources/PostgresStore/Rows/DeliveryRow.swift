import Postgres
import Reminders

/// A notification with the name of its recipient and what it says.
struct DeliveryRow {
  /// What a statement selects, in this order, of a notification `n` to a recipient `r` with a
  /// message `m`; what else it selects comes behind.
  static let columns = "\(NotificationRow.columns), r.name, \(MessageRow.columns)"
  /// Where that begins.
  static let columnCount = name + 1 + MessageRow.columnCount

  /// What finds recipient and message of a notification.
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
    delivery.offset = notification.offset
    return delivery
  }

  /// One for each of the channels that it went out on, as far as they are wanted.
  func deliveries(on wanted: ChannelSet, of instance: String) -> [Delivery] {
    guard notification.isDelivered else { return [] }
    return notification.channels.intersection(wanted).channels.map {
      delivery(on: $0, of: instance)
    }
  }
}
