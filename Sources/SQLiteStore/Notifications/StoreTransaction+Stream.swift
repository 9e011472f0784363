import GRDB
import Reminders
import Store

/// The chain of one recipient's notifications, from the latest backwards.
extension StoreTransaction {
  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) throws -> NotificationChain {
    var numbers: [Int64] = []
    var current = try first ?? latestNotification(of: recipient) ?? 0
    while numbers.count < limit, current > end {
      numbers.append(current)
      guard let previous = try notification(before: current, of: recipient) else {
        return NotificationChain(numbers: numbers, end: .broken)
      }
      current = previous
    }
    return NotificationChain(numbers: numbers, end: .next(current))
  }

  /// Returns a recipient's latest notification: 0 if there is none, nil for a removed recipient.
  func latestNotification(of recipient: UInt32) throws -> Int64? {
    statements.stream.head.bind(1, Int64(recipient))
    return try statements.stream.head.first { try ScheduleRow($0).counts.head }
  }

  /// Returns the recipient's previous notification: 0 if the given one is the first, nil if the
  /// given one is missing or another recipient's.
  private func notification(
    before notification: Int64, of recipient: UInt32
  ) throws -> Int64? {
    try link(of: notification, recipient)?.previous
  }

  func deliveries(
    of notifications: [Int64], to recipient: UInt32
  ) throws -> [Int64: [Delivery]] {
    var deliveries: [Int64: [Delivery]] = [:]
    for notification in notifications {
      statements.stream.deliveries.bind(1, notification)
      statements.stream.deliveries.bind(2, Int64(recipient))
      deliveries[notification] = try statements.stream.deliveries.first { columns in
        let row = try DeliveryRow(columns)
        guard row.notification.isDelivered else { return [] }
        return row.notification.channels.channels.map {
          row.delivery(on: $0, of: statements.instance)
        }
      }
    }
    return deliveries
  }

  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification] {
    var found: [FeedNotification] = []
    statements.stream.feed.bind(1, number ?? .max)
    statements.stream.feed.bind(2, Int64(limit))
    try statements.stream.feed.rows { columns in
      let row = try DeliveryRow(columns)
      found.append(
        FeedNotification(
          recipient: row.recipient, reminder: row.message.reminder,
          category: row.message.category, groupRecord: row.notification.groupRecord,
          runLength: row.notification.trace.runLength))
    }
    return found
  }

  func recent(
    of stored: StoredRecipient, limit: Int
  ) throws -> [(category: String, channels: ChannelSet)] {
    var found: [(category: String, channels: ChannelSet)] = []
    let recent = statements.stream.recent
    var current: Int64? = stored.counts.head
    for _ in 0..<limit {
      guard let notification = current, notification > stored.counts.cleared else { break }
      recent.bind(1, notification)
      recent.bind(2, Int64(stored.row))
      current = try recent.first { columns in
        let row = try NotificationRow(columns)
        if row.isDelivered, row.link.leader == 0, row.dismissed == nil {
          let message = try MessageRow.message(
            columns, from: NotificationRow.columnCount, number: row.message)
          found.append((message.category, row.channels))
        }
        return row.link.previous
      }
    }
    return found
  }
}

/// The prepared statements that follow a recipient's chain of notifications.
final class StreamStatements {
  /// Selects the schedule of a recipient, which contains the latest notification.
  let head: HotStatement
  /// Selects a notification of a recipient.
  let row: HotStatement
  /// Selects a notification of a recipient for its deliveries.
  let deliveries: HotStatement
  /// Selects a notification of a recipient with its message.
  let recent: HotStatement
  /// Selects the notifications of all recipients before a number, the latest first.
  let feed: HotStatement
  /// Selects the latest notification of all recipients.
  let last: HotStatement

  /// - Parameter deliveries: a SELECT of deliveries without its condition.
  init(_ database: Database, deliveries select: String) throws {
    head = try HotStatement(
      database, "SELECT \(ScheduleRow.columns) FROM schedule s WHERE s.recipient = ?1")
    last = try HotStatement(database, "SELECT max(id) FROM notification")
    row = try HotStatement(
      database,
      "SELECT \(NotificationRow.columns) FROM notification n WHERE n.id = ?1 AND n.recipient = ?2")
    deliveries = try HotStatement(database, select + " WHERE n.id = ?1 AND n.recipient = ?2")
    feed = try HotStatement(
      database, select + " WHERE n.id < ?1 ORDER BY n.id DESC LIMIT ?2")
    recent = try HotStatement(
      database,
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message
      WHERE n.id = ?1 AND n.recipient = ?2
      """)
  }
}
