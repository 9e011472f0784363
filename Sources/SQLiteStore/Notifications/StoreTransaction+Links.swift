import Reminders
import Store

typealias Link = NotificationLink

extension StoreTransaction {
  /// Returns the links of notifications that are recorded together.
  ///
  /// - Parameters:
  ///   - rows: the rows of the notifications; nil for one that is not recorded.
  ///   - recipientIndices: the index of each notification's recipient in `batch`.
  func links(
    of notifications: [NotificationRecord], _ rows: [Int64?], _ recipientIndices: [Int],
    _ batch: [StoredRecipient]
  ) throws -> [Link] {
    try Link.links(of: notifications, rows, recipientIndices, batch) { key, reminder, row, round in
      // The limit excludes all notifications of this batch, which may be on disk already.
      try firstDelivered(
        for: key, of: reminder, row: row, round: round, before: statements.nextNotification)
    }
  }

  /// Returns the first delivered notification of an occurrence, in any channel group; nil if there
  /// is none.
  ///
  /// - Parameters:
  ///   - round: the round of the occurrence; nil for the latest round.
  ///   - end: notifications from this number on are ignored.
  func firstDelivered(
    for key: Int64, of reminder: Symbol, row: UInt32, round: Int64? = nil,
    before end: Int64 = .max
  ) throws -> Int64? {
    let query = statements.inbox.firstDelivered
    query.bind(1, Int64(reminder.code))
    query.bind(2, key)
    query.bind(3, Int64(row))
    query.bind(4, Int64(Outcome.delivered.rawValue))
    query.bind(5, end)
    query.bind(6, round)
    return try query.first { $0.integer(0) }
  }

  /// Replaces the links of a notification.
  func relink(_ row: Int64, _ link: Link) throws {
    try change(row) { $0.link = link }
  }

  /// Removes a notification from its recipient's chain, in which each notification refers to the
  /// previous one. Cost: the length of the chain up to the notification.
  ///
  /// This is needed if the clock was set back. The notification is then near the head.
  ///
  /// - Parameter previous: the notification before the removed one; 0 if there is none.
  func unchain(_ row: Int64, to previous: Int64, of stored: inout StoredRecipient) throws {
    guard stored.counts.head != row else {
      stored.counts.head = previous
      return
    }
    var current = stored.counts.head
    while current > row {
      let next = try self.row(of: current)?.link.previous ?? 0
      if next == row { return try change(current) { $0.link.previous = previous } }
      current = next
    }
  }
}
