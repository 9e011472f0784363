import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Returns a recipient's notifications, sent or not, the latest first. Cost: a few look-ups for
  /// each notification.
  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) throws -> [HistoryNotification] {
    var history: [HistoryNotification] = []
    var current =
      try start.map { try historyNotification($0, of: stored)?.previous ?? 0 }
      ?? stored.counts.head
    while history.count < limit, current != 0 {
      guard let next = try historyNotification(current, of: stored) else {
        try checkRemoved(current)
        break
      }
      history.append(next)
      current = next.previous
    }
    return history
  }

  /// Throws an error for a missing notification, unless pruning has removed it. The chain ends at a
  /// removed notification.
  private func checkRemoved(_ notification: Int64) throws {
    guard try notification > prunedThrough() else { return }
    var row = DamagedRow("notification", notification)
    row.isMissing = true
    throw row
  }

  /// Returns a notification with its reasons; nil if it is missing or another recipient's.
  private func historyNotification(
    _ notification: Int64, of stored: StoredRecipient
  ) throws -> HistoryNotification? {
    let content = statements.inbox.content
    content.bind(1, notification)
    let found = try content.first { columns -> (NotificationRow, InboxRow?, Message)? in
      let row = try NotificationRow(columns)
      guard row.recipient == stored.row else { return nil }
      let (itemColumn, messageColumn) = (
        NotificationRow.columnCount, NotificationRow.columnCount + InboxRow.columnCount
      )
      let hasItem = columns.optionalInteger(itemColumn) != nil
      let item = hasItem ? try InboxRow(columns, from: itemColumn) : nil
      let message = try MessageRow.message(
        columns, from: messageColumn, number: item?.message ?? row.message)
      return (row, item, message)
    }
    guard let (row, item, message) = found ?? nil else { return nil }
    return HistoryNotification(
      groupRecords: try groupRecords(of: row), isSilent: row.isSilent,
      isDismissed: row.dismissed != nil || notification <= stored.counts.cleared,
      isRead: item?.isRead, message: message, previous: row.link.previous,
      isLeader: row.link.leader == 0)
  }

  /// Returns the records of this notification, and of the occurrence's other channel groups.
  private func groupRecords(of row: NotificationRow) throws -> [HistoryNotification.GroupRecord] {
    var groupRecords = [row.groupRecord]
    let select = statements.inbox.otherGroupRecords
    select.bind(1, Int64(row.reminder.code))
    select.bind(2, row.key)
    select.bind(3, Int64(row.recipient))
    select.bind(4, row.number)
    select.bind(5, row.round)
    try select.rows { groupRecords.append(try NotificationRow($0).groupRecord) }
    return groupRecords
  }
}
