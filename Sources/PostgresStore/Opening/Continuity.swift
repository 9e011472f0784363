import Postgres

/// Detects whether a store is a restored dump, a promoted standby or a copy. Such a store would
/// assign numbers a second time, and receivers that ignore repeated ids would ignore new
/// notifications.
struct Continuity {
  /// The key of the note (a row of `meta`) that identifies the server's timeline, the database and
  /// the note's own row, as they were when the note was written.
  static let note = "server"

  /// How many blocks of numbers are skipped: more than nodes can have begun since the dump or copy.
  private static let gap: Int64 = 1 << 16
  /// How many numbers of analytics events are skipped.
  private static let analyticsGap: Int64 = 1_000_000_000

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Skips numbers if the store is a restored dump, a promoted standby or a copy.
  ///
  /// - Returns: whether numbers were skipped.
  func skipNumbersIfBroken() throws -> Bool {
    guard try !isUnbroken() else { return false }
    try connection.send("BEGIN")
    // If two nodes start at the same time, one waits for the other.
    try connection.send("LOCK TABLE meta IN SHARE ROW EXCLUSIVE MODE")
    guard try !isUnbroken() else {
      try connection.rollBack()
      return false
    }
    for table in ["event", "message", "notification"] {
      try connection.send(
        "SELECT setval('\(table)_block', nextval('\(table)_block') + \(Self.gap))")
    }
    try connection.send(
      """
      SELECT setval(s.name, nextval(s.name) + \(Self.analyticsGap))
      FROM (SELECT pg_get_serial_sequence('analytics_event', 'id')::regclass AS name) AS s
      """)
    try write()
    try connection.commit()
    return true
  }

  /// Writes the note.
  func write() throws {
    try connection.send(
      """
      INSERT INTO meta VALUES ('\(Self.note)', \(Self.origin) || pg_current_xact_id()::xid::text)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """)
  }

  /// Returns whether the note describes the server and its own row as they are now.
  private func isUnbroken() throws -> Bool {
    var isUnbroken = false
    try connection.query(
      """
      SELECT EXISTS (
        SELECT FROM meta WHERE key = '\(Self.note)' AND value = \(Self.origin) || xmin::text)
      """
    ) { isUnbroken = $0.integer(0) != 0 }
    return isUnbroken
  }

  /// An SQL expression for the first two parts of the note: the timeline, which a promotion
  /// changes, and the database, which a copy changes. The third part is the transaction that wrote
  /// the row itself. A dump that is restored in any way writes the row in another transaction. All
  /// three parts can be read without special rights.
  private static let origin = """
    (left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' \
    || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/')
    """
}
