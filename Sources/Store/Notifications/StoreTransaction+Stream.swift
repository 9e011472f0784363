import GRDB
package import Reminders

/// One recipient's notifications, followed from the latest back.
extension StoreTransaction {
  /// The latest notification of a recipient, 0 if there is none; nil for a recipient who is gone.
  package func latestNotification(of recipient: UInt32) throws -> Int64? {
    statements.stream.head.bind(1, Int64(recipient))
    return try statements.stream.head.first { try ScheduleRow($0).counts.head }
  }

  /// The one before a notification, 0 if it is the first; nil if it is not there, or another's.
  package func notification(
    before notification: Int64, of recipient: UInt32
  ) throws -> Int64? {
    statements.stream.previous.bind(1, notification)
    statements.stream.previous.bind(2, Int64(recipient))
    return try statements.stream.previous.first { try NotificationRow($0).link.previous }
  }

  /// What of a notification has gone out, by channel; nothing of one that is not there, is
  /// another's, or did not go out.
  package func deliveries(
    of notification: Int64, to recipient: UInt32
  ) throws -> [Delivery] {
    statements.stream.deliveries.bind(1, notification)
    statements.stream.deliveries.bind(2, Int64(recipient))
    let found = try statements.stream.deliveries.first { columns -> [Delivery] in
      let row = try DeliveryRow(columns)
      guard row.notification.isDelivered else { return [] }
      return row.notification.channels.channels.map {
        row.delivery(on: $0, of: statements.instance)
      }
    }
    return found ?? []
  }

  /// Goes through what a recipient has not dismissed, the latest first.
  ///
  /// - Parameter most: how many notifications are looked at.
  package func forEachRecent(
    of stored: StoredRecipient, most: Int, _ body: (_ category: String, ChannelSet) -> Void
  ) throws {
    let recent = statements.stream.recent
    var current: Int64? = stored.counts.head
    for _ in 0..<most {
      guard let notification = current, notification > stored.counts.cleared else { return }
      recent.bind(1, notification)
      recent.bind(2, Int64(stored.row))
      current = try recent.first { columns in
        let row = try NotificationRow(columns)
        if row.isDelivered, row.link.leader == 0, row.dismissed == nil {
          let caption = try MessageRow.caption(
            columns, from: NotificationRow.columnCount, number: row.message)
          body(caption.category, row.channels)
        }
        return row.link.previous
      }
    }
  }

  /// How much a recipient has not dismissed of what has arrived, on whichever channel (rule D6).
  /// Cost: a few look-ups for each.
  ///
  /// - Parameter most: how many notifications are looked at; of what lies behind them, what has gone
  ///   out counts as arrived.
  package func arrivedCount(of stored: StoredRecipient, most: Int) throws -> Int {
    var (unseen, arrived) = (stored.counts.recent, 0)
    var current = stored.counts.head
    for _ in 0..<most {
      guard unseen > 0, current > stored.counts.cleared, let row = try row(of: current) else {
        return arrived
      }
      current = row.link.previous
      guard row.isDelivered, row.link.leader == 0, row.dismissed == nil else { continue }
      unseen -= 1
      if try hasArrived(row) { arrived += 1 }
    }
    return arrived + unseen
  }

  private func hasArrived(_ row: NotificationRow) throws -> Bool {
    try ways(of: row).contains { way in
      guard way.isDelivered else { return false }
      if way.allChannels.contains(ChannelSet(.inapp)) { return true }
      return try deliveryStates(of: way.number).contains { $0.told == .delivered }
    }
  }
}

/// The prepared statements by which one recipient's chain of notifications is followed.
final class StreamStatements {
  let head: HotStatement
  let previous: HotStatement
  let deliveries: HotStatement
  let recent: HotStatement
  let last: HotStatement
  let place: HotStatement

  /// - Parameter deliveries: what selects deliveries, but for which.
  init(_ database: Database, deliveries select: String) throws {
    head = try HotStatement(
      database, "SELECT \(ScheduleRow.columns) FROM schedule s WHERE s.recipient = ?1")
    last = try HotStatement(database, "SELECT max(id) FROM notification")
    place = try HotStatement(
      database, "SELECT previous, message FROM notification WHERE id = ?1 AND recipient = ?2")
    previous = try HotStatement(
      database,
      "SELECT \(NotificationRow.columns) FROM notification n WHERE n.id = ?1 AND n.recipient = ?2")
    deliveries = try HotStatement(database, select + " WHERE n.id = ?1 AND n.recipient = ?2")
    recent = try HotStatement(
      database,
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message
      WHERE n.id = ?1 AND n.recipient = ?2
      """)
  }
}
