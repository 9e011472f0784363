import CivilTime
import Postgres

/// The locks of a session that works on a store. They are released when the process ends.
///
/// The nodes of a fleet share the store's lock; a process that holds it exclusively excludes all
/// others. The node's own lock shows other nodes that the node is present.
struct NodeLock {
  /// The number of the store's lock: "chim" in ASCII.
  private static let storeLock = 0x6368_696d

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Acquires the store's lock. This function waits for the lock, because the server may not have
  /// noticed yet that an earlier process has died.
  ///
  /// - Returns: false if another process still has the lock after the timeout.
  func acquireStoreLock(isShared: Bool, _ timeout: TimeSpan) throws -> Bool {
    let kind = isShared ? "_shared" : ""
    do {
      try connection.send("SET lock_timeout = \(timeout.milliseconds)")
      try connection.send("SELECT pg_advisory_lock\(kind)(\(Self.storeLock))")
      try connection.send("RESET lock_timeout")
      try connection.wait()
      return true
    } catch {
      guard case .refused(.lockNotAvailable, _) = error else { throw error }
      return false
    }
  }

  /// Returns the role of a session that has the store's lock, if that role differs from this
  /// session's; nil otherwise. Any role that may connect can acquire an advisory lock.
  func foreignRole() throws -> String? {
    var name: String?
    try connection.query(
      """
      SELECT a.usename::text FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND a.usename <> current_user
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (l.classid::int8 << 32 | l.objid::int8) = $1 LIMIT 1
      """, [.integer(Self.storeLock)]
    ) { name = $0.text(0) }
    return name
  }

  /// Acquires the node's own lock.
  func acquireNodeLock(_ incarnation: Int64) throws {
    try connection.send("SELECT pg_advisory_lock($1)", [.integer(incarnation)])
    try connection.wait()
  }
}
