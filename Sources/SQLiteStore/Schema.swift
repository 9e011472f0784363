import GRDB
import Store

/// The schema of a store, and the marks by which its file is recognized.
///
/// The columns of tables follow from their descriptions (`TableDescription`, `SQLiteTable`).
///
/// Times are milliseconds since 1970 in UTC. Recipients, events, notifications and messages are
/// identified by their row numbers, which are counters and are never reused. Tables with heavy
/// traffic have no index on a random key. Instead, a recipient's events and notifications are
/// chains through `previous`, and the wheel in memory indexes due times.
///
/// Rows with personal data or pending deliveries have a checksum, which is verified on every read:
/// rows changed on disk are rejected as damaged. The checksum includes the keys, so indices need no
/// checksum. An index may fail to find a row, but every row that it finds is verified. SQLite
/// itself rejects malformed pages, and a restored file's indices are compared with their tables.
enum Schema {
  /// The schema version in `PRAGMA user_version`. A store with a higher one is rejected.
  static let version = 1

  /// The mark of a store's file ("chim"), which distinguishes it from other programs' databases.
  static let applicationID = 0x6368_696d

  /// Creates all tables in an empty database, and the keys and name of this store.
  static func create(_ database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(sql: "PRAGMA user_version = \(version)")
    for statements in [recipients, events, notifications, deliveries, statistics] {
      try database.execute(sql: statements)
    }
    try Notes.write(
      "instance", String(UInt64.random(in: 0...(1 << 40)), radix: 36), in: database)
    try Notes.write(SQLiteStore.hashKeysName, IdentityHash.Keys.random().text, in: database)
    try Notes.write(StoreTransaction.completeIdentities, "0", in: database)
    try Notes.write(SQLiteStore.linkKeyName, SQLiteStore.newLinkKey(), in: database)
  }

  private static let recipients = """
    -- The service's own notes: names, keys and positions.
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    \(SQLiteTable.recipient.creation)
    \(SQLiteTable.request.creation)
    CREATE INDEX request_recipient ON request (recipient);
    \(SQLiteTable.factBase.creation)
    CREATE INDEX fact_base_expiry ON fact_base (expiry) WHERE expiry IS NOT NULL;
    \(SQLiteTable.schedule.creation)
    \(SQLiteTable.phone.creation)
    CREATE INDEX phone_number ON phone (number);
    \(SQLiteTable.tombstone.creation)
    \(SQLiteTable.token.creation)
    CREATE INDEX token_scope ON token (scope);
    \(SQLiteTable.adoption.creation)
    \(SQLiteTable.adoptedText.creation)
    """

  private static let events = """
    \(SQLiteTable.event.creation)
    -- The keyed hash of (source, identifier), or the next free number after it. Complete up to the
    -- event in the note; see UnwrittenIdentities for later ones.
    CREATE TABLE event_identity (hash INTEGER PRIMARY KEY, event INTEGER NOT NULL) STRICT;
    """

  private static let notifications = """
    \(SQLiteTable.message.creation)
    CREATE INDEX message_hash ON message (hash) WHERE hash IS NOT NULL;
    \(SQLiteTable.notification.creation)
    -- A round of an occurrence has at most one outcome. The index begins with the reminder and the
    -- occurrence (often a date that a whole day shares), so that the rows of a batch are adjacent.
    CREATE UNIQUE INDEX notification_occurrence
      ON notification (reminder, occurrence, recipient, channel_group, round);
    \(SQLiteTable.inbox.creation)
    """

  private static let deliveries = """
    \(SQLiteTable.lane.creation)
    \(SQLiteTable.retry.creation)
    CREATE INDEX retry_due ON retry (sink, due);
    CREATE INDEX retry_dead ON retry (notification, channel) WHERE due IS NULL;
    \(SQLiteTable.attempt.creation)
    """

  private static let statistics = """
    \(SQLiteTable.analytics.creation)
    CREATE INDEX analytics_event_recipient ON analytics_event (recipient);
    \(SQLiteTable.usage.creation)
    """
}
