import GRDB

extension SQLiteStore {
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 events, recipients, notifications", migrate: createTables)
    migrator.registerMigration("identities after their events", migrate: noteIdentities)
    migrator.registerMigration("access tokens", migrate: createTokens)
    migrator.registerMigration("analytics events") { try $0.execute(sql: analyticsEvents) }
    migrator.registerMigration("usage") { try $0.execute(sql: usage) }
    migrator.registerMigration("tombstones", migrate: createTombstones)
    migrator.registerMigration("inbox, notifications by recipient", migrate: createInbox)
    migrator.registerMigration("every notification in a chain", migrate: completeChains)
    migrator.registerMigration("routes, attempts, hand-overs", migrate: createRoutes)
    migrator.registerMigration("unsubscribe key", migrate: createUnsubscribeKey)
    return migrator
  }

  /// Refuses a file that is not ours or is ahead of this version. The connection cannot write:
  /// opening one that can would already change the file.
  ///
  /// - Parameter address: what to open, the file itself or a URI of it.
  /// - Returns: the connection, closed.
  @discardableResult
  static func inspect(reading address: String, _ file: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: address, configuration: configuration)
    try queue.read { database in
      try checkIdentity(database, file: file)
      if try migrator.hasBeenSuperseded(database) { throw StoreError.newer(file: file) }
    }
    try queue.close()
    return queue
  }

  /// Brings the schema up to date.
  static func migrate(_ queue: DatabaseQueue) throws {
    try migrator.migrate(queue)
  }

  /// Marks the file as ours ("chim"), so that another program's database is not taken for a store.
  private static let applicationID = 0x6368_696d

  private static func checkIdentity(_ database: Database, file: String) throws {
    let found = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    // A store whose making was cut off may hold the migrator's own table and nothing else.
    let tables =
      try Int.fetchOne(
        database,
        sql: """
          SELECT count(*) FROM sqlite_schema
          WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
          """) ?? 0
    guard tables == 0 || found == applicationID else {
      throw StoreError.damaged(file: file, reason: "it is the database of another program")
    }
  }

  private static func createTables(_ database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(sql: schema)
    let instance = String(UInt64.random(in: 0...(1 << 40)), radix: 36)
    try database.execute(sql: "INSERT INTO meta VALUES ('instance', ?)", arguments: [instance])
  }

  /// Until then every identity was written with its event.
  private static func noteIdentities(_ database: Database) throws {
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO meta
        SELECT ?, CAST(coalesce(max(id), 0) AS TEXT) FROM event
        """, arguments: [StoreTransaction.completeIdentities])
  }

  /// A recipient of '' is an administrator's token: no recipient is called that.
  private static func createTokens(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE token (
          id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          recipient TEXT NOT NULL,
          digest BLOB NOT NULL,
          created INTEGER NOT NULL,
          expiry INTEGER,
          revoked INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_recipient ON token (recipient);
        """)
  }
  /// They are few: a person changes preferences now and then. Numbers are not used again, so that
  /// who has read up to one misses none.
  private static let analyticsEvents = """
    CREATE TABLE analytics_event (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      recipient INTEGER NOT NULL,
      time INTEGER NOT NULL,
      name TEXT NOT NULL,
      parameters BLOB NOT NULL
    ) STRICT;
    CREATE INDEX analytics_event_recipient ON analytics_event (recipient);
    """

  /// By the recipients' own dates and hours. A day has as many rows as there are kinds of
  /// notifications, not as there are notifications.
  private static let usage = """
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

  private static func createTombstones(_ database: Database) throws {
    try database.execute(
      sql: "CREATE TABLE tombstone (name INTEGER PRIMARY KEY, time INTEGER NOT NULL) STRICT")
    for half in ["tombstone key 1", "tombstone key 2"] {
      let key = String(UInt64.random(in: 0 ... .max), radix: 16)
      try database.execute(sql: "INSERT INTO meta VALUES (?, ?)", arguments: [half, key])
    }
  }

  /// No index stands on a random key where many rows pass: a recipient's events are a chain through
  /// `previous`, and due times are indexed by the wheel in memory.
  private static let schema = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE recipient (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      facts BLOB NOT NULL,
      last_event INTEGER NOT NULL
    ) STRICT;
    -- Apart from the recipient: it changes at every firing, and its rows are small.
    CREATE TABLE schedule (
      recipient INTEGER PRIMARY KEY,
      due INTEGER,
      pending INTEGER NOT NULL,
      progress BLOB NOT NULL
    ) STRICT;
    CREATE TABLE event (
      id INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      previous INTEGER NOT NULL,
      time INTEGER NOT NULL,
      is_time_given INTEGER NOT NULL,
      received INTEGER NOT NULL,
      source TEXT NOT NULL,
      identifier TEXT NOT NULL,
      type TEXT NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
    -- The hash of (source, identifier), or the next free number after it. Complete through the
    -- event that is noted; see RecentIdentities for the later ones.
    CREATE TABLE event_identity (hash INTEGER PRIMARY KEY, event INTEGER NOT NULL) STRICT;
    -- What is said, once for all to whom it is said, and what the catalog called it then.
    CREATE TABLE message (
      id INTEGER PRIMARY KEY,
      reminder TEXT NOT NULL,
      category TEXT NOT NULL,
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      details TEXT NOT NULL,
      members TEXT NOT NULL
    ) STRICT;
    CREATE TABLE notification (
      id INTEGER PRIMARY KEY,
      recipient INTEGER NOT NULL,
      reminder INTEGER NOT NULL,
      occurrence INTEGER NOT NULL,
      track INTEGER NOT NULL,
      planned INTEGER NOT NULL,
      at INTEGER NOT NULL,
      expiry INTEGER NOT NULL,
      outcome INTEGER NOT NULL,
      channels INTEGER NOT NULL,
      -- 1 if it makes no sound; the bits above are the person's hints.
      silent INTEGER NOT NULL,
      trace INTEGER NOT NULL,
      message INTEGER NOT NULL
    ) STRICT;
    -- No occurrence has two outcomes. It begins with what everyone's has in common, the date, so
    -- that a herd's rows stand side by side.
    CREATE UNIQUE INDEX notification_occurrence
      ON notification (reminder, occurrence, recipient, track);
    -- Up to where a sink has been handed everything, but for what is in retry.
    CREATE TABLE lane (sink TEXT PRIMARY KEY, through INTEGER NOT NULL) STRICT;
    CREATE TABLE retry (
      sink TEXT NOT NULL,
      notification INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      due INTEGER,
      reason TEXT NOT NULL,
      PRIMARY KEY (sink, notification, channel)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX retry_due ON retry (sink, due);
    """
}
