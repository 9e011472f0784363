import GRDB
import Store

/// The tables of a store, and how it is told from the file of another program.
///
/// Times are milliseconds since 1970 in UTC; recipients, events, notifications and messages are
/// known by the numbers of their rows, which are counters and never given out twice. No index
/// stands on a random key where many rows pass: a recipient's events and notifications are chains
/// through `previous`, and due times are indexed by the wheel in memory.
///
/// What is known of people and said to them has a checksum, and so has each hand-over that is still
/// to come; it is compared whenever a row is read: what has been changed on disk is refused as
/// damaged. It is over the keys as well, so that an index needs none: it may fail to find a row,
/// but whichever it leads to is compared with what was written. SQLite itself refuses pages that
/// cannot be read as what they are; and a restored file's indices are compared with their tables.
enum Schema {
  /// Written to `PRAGMA user_version`; a store with a higher one is refused.
  static let version = 1

  /// Marks the file as ours ("chim"), so that another program's database is not taken for a store.
  static let applicationID = 0x6368_696d

  /// Makes every table of an empty database, and the keys and the name of this one store.
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
    -- What the service notes for itself: names, keys, how far it has come with something.
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE recipient (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      last_event INTEGER NOT NULL,
      -- Of the number, the name and the last event: the facts have a checksum of their own.
      checksum INTEGER NOT NULL,
      facts_checksum INTEGER NOT NULL,
      facts BLOB NOT NULL
    ) STRICT;
    -- What apps want said to those for whom much is requested, but for what stands with the facts:
    -- some of it in each row, which is no longer than a page. A part is named by the event of its
    -- first request.
    CREATE TABLE request (
      part INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      requests BLOB NOT NULL
    ) STRICT;
    CREATE INDEX request_recipient ON request (recipient);
    -- Apart from the recipient: it changes at every firing, and its rows are small.
    CREATE TABLE schedule (
      recipient INTEGER PRIMARY KEY,
      due INTEGER,
      pending INTEGER NOT NULL,
      -- The latest notification; how many are recent, in the inbox, and unread there; and up to
      -- which all were cleared.
      head INTEGER NOT NULL DEFAULT 0,
      recent INTEGER NOT NULL DEFAULT 0,
      items INTEGER NOT NULL DEFAULT 0,
      unread INTEGER NOT NULL DEFAULT 0,
      cleared INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL,
      progress BLOB NOT NULL
    ) STRICT;
    -- When a name was last erased (rule H4). It must not be kept, so it is known by two keyed
    -- hashes, of which the second stands for comparing it (rule E5).
    CREATE TABLE tombstone (
      name INTEGER NOT NULL,
      rest INTEGER NOT NULL,
      time INTEGER NOT NULL,
      PRIMARY KEY (name, rest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE token (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      -- What it lets its bearer do: admin, support, observer, or recipient: and an id (rule H5).
      scope TEXT NOT NULL,
      digest BLOB NOT NULL,
      created INTEGER NOT NULL,
      expiry INTEGER,
      revoked INTEGER,
      -- To the hour.
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
      -- Of an event of who was erased: the rest of its identity's hash.
      time INTEGER NOT NULL,
      is_time_given INTEGER NOT NULL,
      received INTEGER NOT NULL,
      source TEXT NOT NULL,
      identifier TEXT NOT NULL,
      type TEXT NOT NULL,
      data BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- The keyed hash of (source, identifier), or the next free number after it. Complete through
    -- the event that is noted; see RecentIdentities for the later ones.
    CREATE TABLE event_identity (hash INTEGER PRIMARY KEY, event INTEGER NOT NULL) STRICT;
    """

  private static let notifications = """
    -- What is said, and what the catalog called it then. What many are told is kept once and found
    -- by its hash; what one person is told has none, and is that person's alone.
    CREATE TABLE message (
      id INTEGER PRIMARY KEY,
      hash INTEGER,
      reminder TEXT NOT NULL,
      category TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      details TEXT NOT NULL,
      members TEXT NOT NULL,
      -- The trace of the event that it comes from, or nothing.
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
      -- 0, or the event that asked for it again after it had been delivered.
      round INTEGER NOT NULL DEFAULT 0,
      planned INTEGER NOT NULL,
      at INTEGER NOT NULL,
      expiry INTEGER NOT NULL,
      outcome INTEGER NOT NULL,
      channels INTEGER NOT NULL,
      -- 1 if it makes no sound; the eight bits above are the person's hints, and those above them
      -- how far their clock was ahead of UTC.
      silent INTEGER NOT NULL,
      -- What each gate said, two bits each; above 32 bits the length of a run of missed ones.
      trace INTEGER NOT NULL,
      message INTEGER NOT NULL,
      -- The notification of the same recipient before this one.
      previous INTEGER NOT NULL DEFAULT 0,
      -- What told of the same thing before.
      leader INTEGER NOT NULL DEFAULT 0,
      dismissed INTEGER,
      -- The channels that took over from one that had failed.
      fallback INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- No round of an occurrence has two outcomes. The index begins with the date, which all
    -- occurrences of a day share, so that a batch's rows stand side by side.
    CREATE UNIQUE INDEX notification_occurrence
      ON notification (reminder, occurrence, recipient, channel_group, round);
    -- An inbox stands together, and a batch's items come in the order of their recipients.
    CREATE TABLE inbox (
      recipient INTEGER NOT NULL,
      -- The notification that stands for it.
      item INTEGER NOT NULL,
      message INTEGER NOT NULL,
      at INTEGER NOT NULL,
      -- Not in the checksum: it changes for many items at a time.
      read INTEGER,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (recipient, item)
    ) STRICT, WITHOUT ROWID;
    """

  private static let deliveries = """
    CREATE TABLE lane (
      sink TEXT PRIMARY KEY,
      -- Up to where the sink has been handed everything, but for what is in retry.
      through INTEGER NOT NULL,
      -- Of which the sink is the first choice, a bit each.
      channels INTEGER NOT NULL DEFAULT 15,
      -- Up to where the sink may have been handed everything, and by which start of the service.
      handed INTEGER NOT NULL DEFAULT 0,
      boot INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL
    ) STRICT;
    -- What is attempted on its own. A delivery waits in one place at a time, so its retry needs no
    -- sink to be told apart. Without a time it is a dead letter.
    CREATE TABLE retry (
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      sink TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      due INTEGER,
      reason TEXT NOT NULL,
      -- The start of the service in which the sink was handed it and has not answered.
      boot INTEGER,
      -- At how many deaths of the service a sink had it.
      deaths INTEGER NOT NULL DEFAULT 0,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (notification, channel)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX retry_due ON retry (sink, due);
    CREATE INDEX retry_dead ON retry (notification, channel) WHERE due IS NULL;
    -- What was delivered at once by a sink that had nothing to say of it is not here.
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
    -- They are few: a person changes preferences now and then. Numbers are not used again, so that
    -- who has read up to one misses none.
    CREATE TABLE analytics_event (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      recipient INTEGER NOT NULL,
      time INTEGER NOT NULL,
      name TEXT NOT NULL,
      parameters BLOB NOT NULL
    ) STRICT;
    CREATE INDEX analytics_event_recipient ON analytics_event (recipient);
    -- By the recipients' own dates and hours. A day has as many rows as there are kinds of
    -- notifications, not as there are notifications.
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
