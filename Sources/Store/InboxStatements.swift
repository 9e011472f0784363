import GRDB

/// The prepared statements for the inbox and for what was said.
final class InboxStatements {
  let standing: HotStatement
  let relink: HotStatement
  let dropped: HotStatement
  let previous: HotStatement
  let redirect: HotStatement

  let insertItems: BulkInsert
  let updateItem: HotStatement
  let item: HotStatement
  let deleteItem: HotStatement
  let readItem: HotStatement
  let readAll: HotStatement
  let deleteAll: HotStatement
  let page: HotStatement

  let entry: HotStatement
  let said: HotStatement
  let dismiss: HotStatement
  let uncount: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    standing = try prepare(
      """
      SELECT CASE leader WHEN 0 THEN id ELSE leader END FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome = ?4 AND id < ?5
      ORDER BY leader, id LIMIT 1
      """)
    relink = try prepare("UPDATE notification SET previous = ?2, leader = ?3 WHERE id = ?1")
    dropped = try prepare(
      """
      SELECT id, previous FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome = ?4 AND track = ?5
      """)
    previous = try prepare("SELECT previous FROM notification WHERE id = ?1")
    redirect = try prepare("UPDATE notification SET previous = ?2 WHERE id = ?1")
    insertItems = try BulkInsert(database, "INSERT OR REPLACE INTO inbox", columns: 5)
    updateItem = try prepare("UPDATE inbox SET message = ?3 WHERE recipient = ?1 AND item = ?2")
    item = try prepare("SELECT read FROM inbox WHERE recipient = ?1 AND item = ?2")
    deleteItem = try prepare("DELETE FROM inbox WHERE recipient = ?1 AND item = ?2")
    readItem = try prepare(
      "UPDATE inbox SET read = ?3 WHERE recipient = ?1 AND item = ?2 AND read IS NULL")
    readAll = try prepare("UPDATE inbox SET read = ?2 WHERE recipient = ?1 AND read IS NULL")
    deleteAll = try prepare("DELETE FROM inbox WHERE recipient = ?1")
    page = try prepare(Self.page)
    entry = try prepare(
      """
      SELECT recipient, leader, reminder, occurrence, outcome, dismissed
      FROM notification WHERE id = ?1
      """)
    said = try prepare(Self.said)
    dismiss = try prepare("UPDATE notification SET dismissed = ?2 WHERE id = ?1")
    uncount = try prepare(
      """
      UPDATE schedule SET recent = max(0, recent - 1) WHERE cleared < ?1 AND recipient =
        (SELECT recipient FROM notification
         WHERE id = ?1 AND leader = 0 AND outcome = ?2 AND dismissed IS NULL)
      """)
  }

  /// The place is found before the texts are: passing over an item reads a few bytes.
  private static let page = """
    SELECT i.item, i.at, i.read,
      m.reminder, m.category, m.title, m.body, m.details, m.members
    FROM (SELECT item, message, at, read FROM inbox WHERE recipient = ?1
          ORDER BY item DESC LIMIT ?2 OFFSET ?3) i
    JOIN message m ON m.id = i.message
    ORDER BY i.item DESC
    """

  /// A notification as it stands, with what its inbox item has become and the channels that its
  /// other ways out, which have none in common, added to it.
  private static let said = """
    SELECT n.recipient, n.previous, n.planned, n.at, n.outcome, n.channels | n.fallback, n.silent,
      n.trace,
      n.dismissed, i.item, i.read,
      (SELECT sum(t.channels) FROM notification t
       WHERE t.reminder = n.reminder AND t.occurrence = n.occurrence
         AND t.recipient = n.recipient AND t.leader = n.id),
      m.reminder, m.category, m.title, m.body, m.details, m.members, n.leader
    FROM notification n
    LEFT JOIN inbox i ON i.recipient = n.recipient AND i.item = n.id
    JOIN message m ON m.id = coalesce(i.message, n.message)
    WHERE n.id = ?1
    """
}
