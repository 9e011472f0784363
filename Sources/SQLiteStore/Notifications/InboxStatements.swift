import GRDB
import Store

/// The prepared statements for the inbox, and for notifications with the texts of their items.
final class InboxStatements {
  /// Selects the leader (the first) of an occurrence's delivered notifications.
  let firstDelivered: HotStatement
  /// Selects the dropped notification of an occurrence in a channel group.
  let dropped: HotStatement

  let insertItems: BulkInsert
  let updateItem: HotStatement
  let item: HotStatement
  let deleteItem: HotStatement
  let markItemAsRead: HotStatement
  let markAllAsRead: HotStatement
  let deleteAll: HotStatement
  let page: HotStatement

  /// Selects a notification with its inbox item and its current text.
  let content: HotStatement
  /// Selects the notifications of an occurrence that have a given leader.
  let otherGroupRecords: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    firstDelivered = try prepare(
      """
      SELECT CASE leader WHEN 0 THEN id ELSE leader END FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome = ?4 AND id < ?5
        AND round = coalesce(?6, round)
      ORDER BY round DESC, leader, id LIMIT 1
      """)
    dropped = try prepare(
      """
      SELECT \(NotificationRow.columns) FROM notification n WHERE n.reminder = ?1
        AND n.occurrence = ?2 AND n.recipient = ?3 AND n.outcome = ?4 AND n.channel_group = ?5
        AND n.round = ?6
      """)
    insertItems = try BulkInsert(database, "INSERT OR REPLACE", into: .inbox)
    updateItem = try prepare(
      "UPDATE inbox SET message = ?3, checksum = ?4 WHERE recipient = ?1 AND item = ?2")
    item = try prepare(
      "SELECT \(InboxRow.columns) FROM inbox i WHERE i.recipient = ?1 AND i.item = ?2")
    deleteItem = try prepare("DELETE FROM inbox WHERE recipient = ?1 AND item = ?2")
    markItemAsRead = try prepare(
      "UPDATE inbox SET read = ?3 WHERE recipient = ?1 AND item = ?2 AND read IS NULL")
    markAllAsRead = try prepare("UPDATE inbox SET read = ?2 WHERE recipient = ?1 AND read IS NULL")
    deleteAll = try prepare("DELETE FROM inbox WHERE recipient = ?1")
    page = try prepare(Self.page)
    content = try prepare(Self.content)
    otherGroupRecords = try prepare(
      """
      SELECT \(NotificationRow.columns) FROM notification n WHERE n.reminder = ?1
        AND n.occurrence = ?2 AND n.recipient = ?3 AND n.leader = ?4 AND n.round = ?5
      """)
  }

  /// The statement of a page. It selects the items before it joins their texts, so that skipping an
  /// item reads only a few bytes.
  private static let page = """
    SELECT \(InboxRow.columns), \(MessageRow.columns)
    FROM (SELECT \(SQLiteTable.inbox.columnList) FROM inbox WHERE recipient = ?1 AND item < ?4
          ORDER BY item DESC LIMIT ?2 OFFSET ?3) i
    JOIN message m ON m.id = i.message
    ORDER BY i.item DESC
    """

  /// A notification with the current text of its inbox item.
  private static let content = """
    SELECT \(NotificationRow.columns), \(InboxRow.columns), \(MessageRow.columns)
    FROM notification n
    LEFT JOIN inbox i ON i.recipient = n.recipient AND i.item = n.id
    JOIN message m ON m.id = coalesce(i.message, n.message)
    WHERE n.id = ?1
    """
}
