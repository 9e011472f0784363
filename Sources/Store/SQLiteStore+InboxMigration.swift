import GRDB

extension SQLiteStore {
  /// The inbox, and a chain through each recipient's notifications.
  static func createInbox(_ database: Database) throws {
    try database.execute(sql: inboxSchema)
    try database.execute(sql: chains)
  }

  /// No index stands on a notification's recipient, for a herd's rows would each fall elsewhere in
  /// it: the latest is named where each firing writes anyway, and each names the one before. An
  /// inbox stands together, and the herd's items come in the order of their recipients.
  private static let inboxSchema = """
    ALTER TABLE schedule ADD COLUMN head INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE schedule ADD COLUMN recent INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE schedule ADD COLUMN items INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE schedule ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE schedule ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE notification ADD COLUMN previous INTEGER NOT NULL DEFAULT 0;
    -- What told of the same thing before.
    ALTER TABLE notification ADD COLUMN leader INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE notification ADD COLUMN dismissed INTEGER;
    CREATE TABLE inbox (
      recipient INTEGER NOT NULL,
      -- The notification that stands for it.
      item INTEGER NOT NULL,
      message INTEGER NOT NULL,
      at INTEGER NOT NULL,
      read INTEGER,
      PRIMARY KEY (recipient, item)
    ) STRICT, WITHOUT ROWID;
    """

  /// What was said before there were chains. Outcome 1 is delivered, track 1 is the app's own.
  private static let chains = """
    UPDATE notification SET previous = before.id
      FROM (SELECT id AS own, lag(id, 1, 0) OVER (PARTITION BY recipient ORDER BY id) AS id
            FROM notification) before
      WHERE before.own = notification.id;
    INSERT INTO inbox
      SELECT recipient, id, message, at, NULL FROM notification
      WHERE outcome = 1 AND track = 1 ORDER BY recipient, id;
    UPDATE schedule
      SET head = said.head, recent = said.recent, items = said.items, unread = said.items
      FROM (SELECT recipient, max(id) AS head, sum(outcome = 1) AS recent,
              sum(outcome = 1 AND track = 1) AS items
            FROM notification GROUP BY recipient) said
      WHERE said.recipient = schedule.recipient;
    """

  /// What told of a thing that had been told of before was in no chain until then.
  static func completeChains(_ database: Database) throws {
    let isIncomplete = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM notification WHERE leader <> 0)")
    guard isIncomplete ?? true else { return }
    try database.execute(
      sql: """
        UPDATE notification SET previous = before.id
          FROM (SELECT id AS own, lag(id, 1, 0) OVER (PARTITION BY recipient ORDER BY id) AS id
                FROM notification) before
          WHERE before.own = notification.id AND before.id <> notification.previous;
        UPDATE schedule SET head = said.head
          FROM (SELECT recipient, max(id) AS head FROM notification GROUP BY recipient) said
          WHERE said.recipient = schedule.recipient;
        """)
  }
}
