import Reminders
import Store

typealias Link = NotificationLink

extension StoreTransaction {
  /// - Parameter rows: the rows of the notifications; nil for one that is not recorded.
  func links(
    of notifications: [NotificationRecord], _ rows: [Int64?], _ batchIndices: [Int],
    _ batch: [StoredRecipient]
  ) throws -> [Link] {
    try Link.links(of: notifications, rows, batchIndices, batch) { key, reminder, row, round in
      // The limit excludes all notifications of this batch, which may be on disk already.
      try standing(
        for: key, of: reminder, row: row, round: round, before: statements.nextNotification)
    }
  }

  /// The first notification of an occurrence that was delivered in any channel group.
  ///
  /// - Parameter round: nil for the latest.
  func standing(
    for key: Int64, of reminder: Symbol, row: UInt32, round: Int64? = nil,
    before end: Int64 = .max
  ) throws -> Int64? {
    let look = statements.inbox.standing
    look.bind(1, Int64(reminder.code))
    look.bind(2, key)
    look.bind(3, Int64(row))
    look.bind(4, Int64(Outcome.delivered.rawValue))
    look.bind(5, end)
    look.bind(6, round)
    return try look.first { $0.integer(0) }
  }

  func relink(_ row: Int64, _ link: Link) throws {
    try change(row) { $0.link = link }
  }

  /// Removes a notification from the chain. Cost: the length of the chain up to it.
  ///
  /// It is needed after the clock was set back: then the notification is near the head. It is also
  /// needed when pruning keeps an older notification.
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
