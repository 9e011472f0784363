import CivilTime
import Postgres

/// The locks of a session that works on a store: they go when the process dies.
///
/// One is the store's: who has it to itself keeps everybody else away, the nodes of a fleet share
/// it. The other is the node's own, by which others see that it is there.
struct NodeLock {
  /// "chim".
  private static let store = 0x6368_696d

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// The server may not have noticed yet that a process has died: so long is waited for it.
  ///
  /// - Returns: false if somebody else has it.
  func take(isShared: Bool, _ patience: TimeSpan) throws -> Bool {
    let kind = isShared ? "_shared" : ""
    do {
      try connection.send("SET lock_timeout = \(patience.milliseconds)")
      try connection.send("SELECT pg_advisory_lock\(kind)(\(Self.store))")
      try connection.send("RESET lock_timeout")
      try connection.wait()
      return true
    } catch {
      guard case .refused(.lockNotAvailable, _) = error else { throw error }
      return false
    }
  }

  /// The role of a session that has the store's lock and is not of this session's role; nil if there
  /// is none. Whoever may connect may take an advisory lock.
  func stranger() throws -> String? {
    var name: String?
    try connection.query(
      """
      SELECT a.usename::text FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND a.usename <> current_user
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (l.classid::int8 << 32 | l.objid::int8) = $1 LIMIT 1
      """, [.integer(Self.store)]
    ) { name = $0.text(0) }
    return name
  }

  /// Takes the lock that is a node's own.
  func mark(_ incarnation: Int64) throws {
    try connection.send("SELECT pg_advisory_lock($1)", [.integer(incarnation)])
    try connection.wait()
  }
}
