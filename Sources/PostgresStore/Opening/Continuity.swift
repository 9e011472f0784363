import Postgres

/// Whether a store still stands where it was written. A dump that was restored, a standby that was
/// promoted and a copy give out numbers a second time, and receivers that drop repeats by id would
/// drop what is new.
struct Continuity {
  /// Under which a store notes where it was written.
  static let note = "server"

  /// How many blocks of numbers are left out: more than nodes can have begun since.
  private static let gap: Int64 = 1 << 16
  /// The same of the numbers that analytics events have.
  private static let analyticsGap: Int64 = 1_000_000_000

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Leaves numbers out where the store does not stand where it was written.
  ///
  /// - Returns: whether that was so.
  func restore() throws -> Bool {
    guard try !isUnbroken() else { return false }
    try connection.send("BEGIN")
    // Of nodes that start at the same time one waits for the other.
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

  /// Notes where the store stands.
  func write() throws {
    try connection.send(
      """
      INSERT INTO meta VALUES ('\(Self.note)', \(Self.place) || pg_current_xact_id()::xid::text)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """)
  }

  private func isUnbroken() throws -> Bool {
    var isUnbroken = false
    try connection.query(
      """
      SELECT EXISTS (
        SELECT FROM meta WHERE key = '\(Self.note)' AND value = \(Self.place) || xmin::text)
      """
    ) { isUnbroken = $0.integer(0) != 0 }
    return isUnbroken
  }

  /// The timeline, which a promotion changes, and the database, which a copy changes. The number of
  /// the transaction behind them is that of the row itself, whichever way a dump was restored: the
  /// row is written by another then. No right is needed to ask for any of them.
  private static let place = """
    (left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' \
    || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/')
    """
}
