import GRDB
import Store

/// The tables of a store, and the marks by which its file is recognized.
///
/// Times are milliseconds since 1970 in UTC. Recipients, events, notifications and messages are
/// identified by their row numbers, which are counters and are never reused. Tables with heavy
/// traffic have no index on a random key: a recipient's events and notifications are chains through
/// `previous`, and due times are indexed by the wheel in memory.
///
/// Rows with personal data or pending deliveries have a checksum, which is verified on every read:
/// rows changed on disk are rejected as damaged. The checksum includes the keys, so indices need
/// none: an index may fail to find a row, but any row that it leads to is verified. SQLite itself
/// rejects malformed pages, and a restored file's indices are compared with their tables.
enum Schema {
  /// The schema version in `PRAGMA user_version`. A store with a higher one is rejected.
  static let version = 1

  /// The mark of a store's file ("chim"), which tells it from other programs' databases.
  static let applicationID = 0x6368_696d

  /// Creates all tables in an empty database, and the keys and name of this store.
  static func create(_ database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(sql: "PRAGMA user_version = \(version)")
    for part in [people, events, notifications, deliveries, measures] {
      try database.execute(sql: part)
    }
    try Notes.write(
      "instance", String(UInt64.random(in: 0...(1 << 40)), radix: 36), in: database)
    try Notes.write(SQLiteStore.hashKeysName, IdentityHash.Keys.random().text, in: database)
    try Notes.write(StoreTransaction.completeIdentities, "0", in: database)
    try Notes.write(SQLiteStore.unsubscribeKeyName, SQLiteStore.newUnsubscribeKey(), in: database)
  }

  private static let people = """
    -- The service's own notes: names, keys and positions.
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE recipient (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      last_event INTEGER NOT NULL,
      -- Covers the number, the name and the last event. The facts have their own checksum.
      checksum INTEGER NOT NULL,
      facts_checksum INTEGER NOT NULL,
      facts BLOB NOT NULL
    ) STRICT;
    -- Requests of a recipient that do not fit into the row with the facts. Each row holds some of
    -- them and is at most a page long. Its number is the event of its first request.
    CREATE TABLE request (
      part INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      requests BLOB NOT NULL
    ) STRICT;
    CREATE INDEX request_recipient ON request (recipient);
    -- Separate from the recipient, because it changes at every firing and its rows are small.
    CREATE TABLE schedule (
      recipient INTEGER PRIMARY KEY,
      due INTEGER,
      pending INTEGER NOT NULL,
      -- The latest notification; the numbers of recent notifications, inbox items and unread items;
      -- and the last cleared notification.
      head INTEGER NOT NULL DEFAULT 0,
      recent INTEGER NOT NULL DEFAULT 0,
      items INTEGER NOT NULL DEFAULT 0,
      unread INTEGER NOT NULL DEFAULT 0,
      cleared INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL,
      progress BLOB NOT NULL
    ) STRICT;
    -- When a name was last erased (rule H4). The name must not be stored, so two keyed hashes
    -- identify it; the second takes the place of comparing the name (rule E5).
    CREATE TABLE tombstone (
      name INTEGER NOT NULL,
      rest INTEGER NOT NULL,
      time INTEGER NOT NULL,
      PRIMARY KEY (name, rest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE token (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      -- The bearer's permissions: admin, support, observer, or "recipient:" and an id (rule H5).
      scope TEXT NOT NULL,
      digest BLOB NOT NULL,
      created INTEGER NOT NULL,
      expiry INTEGER,
      revoked INTEGER,
      -- Rounded to the hour.
      last_use INTEGER,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX token_scope ON token (scope);
    """

  private static let events = """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      previous INTEGER NOT NULL,
      -- For an erased event: the second hash of its identity.
      time INTEGER NOT NULL,
      is_time_given INTEGER NOT NULL,
      received INTEGER NOT NULL,
      source TEXT NOT NULL,
      identifier TEXT NOT NULL,
      type TEXT NOT NULL,
      data BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- The keyed hash of (source, identifier), or the next free number after it. Complete up to the
    -- event in the note; see RecentIdentities for later ones.
    CREATE TABLE event_identity (hash INTEGER PRIMARY KEY, event INTEGER NOT NULL) STRICT;
    """

  private static let notifications = """
    -- Messages with the catalog's names at that time. A shared message is stored once and found by
    -- its hash. A private message of one recipient has no hash.
    CREATE TABLE message (
      id INTEGER PRIMARY KEY,
      hash INTEGER,
      reminder TEXT NOT NULL,
      category TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      details TEXT NOT NULL,
      members TEXT NOT NULL,
      -- The trace of the event that caused it, or empty.
      trace TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX message_hash ON message (hash) WHERE hash IS NOT NULL;
    CREATE TABLE notification (
      id INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      reminder INTEGER NOT NULL,
      occurrence INTEGER NOT NULL,
      channel_group INTEGER NOT NULL,
      -- 0, or the event that requested the occurrence again after its delivery.
      round INTEGER NOT NULL DEFAULT 0,
      planned INTEGER NOT NULL,
      at INTEGER NOT NULL,
      expiry INTEGER NOT NULL,
      outcome INTEGER NOT NULL,
      channels INTEGER NOT NULL,
      -- 1 if silent. The next eight bits are the recipient's hints, and those above them the offset
      -- of the recipient's local time from UTC.
      silent INTEGER NOT NULL,
      -- The verdict of each gate, two bits each. Above 32 bits: the length of a run of missed
      -- occurrences.
      trace INTEGER NOT NULL,
      message INTEGER NOT NULL,
      -- The recipient's previous notification.
      previous INTEGER NOT NULL DEFAULT 0,
      -- The notification that came first for the same thing.
      leader INTEGER NOT NULL DEFAULT 0,
      dismissed INTEGER,
      -- The fallback channels that replaced a failed one.
      fallback INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- A round of an occurrence has at most one outcome. The index begins with the reminder and the
    -- occurrence (often a date that a whole day shares), so that the rows of a batch are adjacent.
    CREATE UNIQUE INDEX notification_occurrence
      ON notification (reminder, occurrence, recipient, channel_group, round);
    -- The items of an inbox are adjacent, and a batch inserts items in the order of recipients.
    CREATE TABLE inbox (
      recipient INTEGER NOT NULL,
      -- The notification that the item shows.
      item INTEGER NOT NULL,
      message INTEGER NOT NULL,
      at INTEGER NOT NULL,
      -- Not in the checksum, because it changes for many items at a time.
      read INTEGER,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (recipient, item)
    ) STRICT, WITHOUT ROWID;
    """

  private static let deliveries = """
    CREATE TABLE lane (
      sink TEXT PRIMARY KEY,
      -- The cursor: everything up to here is answered or in retry.
      through INTEGER NOT NULL,
      -- The channels for which the sink is the first in the route, one bit each.
      channels INTEGER NOT NULL DEFAULT 15,
      -- The last notification that may have been dispatched, and the start of the service that did
      -- it.
      handed INTEGER NOT NULL DEFAULT 0,
      boot INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- Retries. A delivery has at most one, so the sink is not part of the key. Without a due time
    -- it is a dead letter.
    CREATE TABLE retry (
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      sink TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      due INTEGER,
      reason TEXT NOT NULL,
      -- The start of the service in which it was dispatched and not yet answered.
      boot INTEGER,
      -- The number of crashes while it was in flight.
      deaths INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (notification, channel)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX retry_due ON retry (sink, due);
    CREATE INDEX retry_dead ON retry (notification, channel) WHERE due IS NULL;
    -- Deliveries that succeeded at once without a remark from the sink are not recorded here.
    CREATE TABLE attempt (
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      number INTEGER NOT NULL,
      sink TEXT NOT NULL,
      at INTEGER NOT NULL,
      verdict INTEGER NOT NULL,
      status TEXT,
      excerpt TEXT NOT NULL,
      duration INTEGER,
      reason TEXT NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (notification, channel, number)
    ) STRICT, WITHOUT ROWID;
    """

  private static let measures = """
    -- There are few, since people seldom change preferences. Numbers are not reused, so that a
    -- reader's cursor misses none.
    CREATE TABLE analytics_event (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      recipient INTEGER NOT NULL,
      time INTEGER NOT NULL,
      name TEXT NOT NULL,
      parameters BLOB NOT NULL
    ) STRICT;
    CREATE INDEX analytics_event_recipient ON analytics_event (recipient);
    -- By the recipients' local dates and hours. The number of rows of a day depends on the kinds of
    -- notifications, not on their number.
    CREATE TABLE usage (
      date INTEGER NOT NULL,
      category TEXT NOT NULL,
      channel INTEGER NOT NULL,
      hour INTEGER NOT NULL,
      measure TEXT NOT NULL,
      reason INTEGER NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (date, category, channel, hour, measure, reason)
    ) STRICT, WITHOUT ROWID;
    """
}
