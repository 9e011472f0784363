import Postgres
import Store

/// Checks whether a server can hold a store. Its errors name the remedy.
struct ServerCheck {
  /// The oldest version of PostgreSQL with all required features.
  static let versionMin: Int32 = 150_000

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Checks the requirements of every session.
  func checkSession() throws(PostgresError) {
    let version = connection.serverVersion
    guard version >= Self.versionMin else {
      throw .unfit(
        reason: "PostgreSQL 15 or newer is needed, and the server is \(version / 10_000); give a "
          + "newer server")
    }
    let (processID, isStandby) = try session()
    try check(processID: processID)
    guard !isStandby else {
      throw .unreachable(
        reason: "the server is a standby, which accepts no changes; name all servers and add "
          + "target_session_attrs=read-write to the location")
    }
  }

  /// Detects a pooler. A pooler assigns transactions to sessions of its choice, and usually gives a
  /// connection an invented process id.
  ///
  /// - Parameter processID: the process id that the answering session reports.
  func check(processID: Int32) throws(PostgresError) {
    guard processID == connection.serverProcessID else {
      throw .unfit(reason: PostgresError.pooler)
    }
  }

  /// Reads the process id of the answering session, and whether the server is a standby.
  private func session() throws(PostgresError) -> (processID: Int32, isStandby: Bool) {
    do {
      var found: (Int32, Bool) = (0, false)
      try connection.query("SELECT pg_backend_pid(), pg_is_in_recovery()") { row in
        found = (Int32(truncatingIfNeeded: row.integer(0)), row.integer(1) != 0)
      }
      return found
    } catch {
      throw error as? PostgresError ?? .malformed(reason: "\(error)")
    }
  }

  /// Connects. If the session's settings are rejected, the error says whether the cause is a pooler
  /// or an old server.
  ///
  /// - Parameter settings: the session's settings, besides those of every connection.
  static func explainingRejection<Value>(
    of settings: KeyValuePairs<String, String>, _ connect: () throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value {
    do {
      return try connect()
    } catch {
      guard case .unreachable(let reason) = error else { throw error }
      if reason.contains("startup parameter") {
        throw .unfit(reason: "\(reason); \(PostgresError.pooler)")
      }
      // A rejected parameter that is not among these names was set by the operator.
      let names = (Array(PostgresConnection.requiredSettings) + Array(settings)).map(\.key)
      guard !names.contains(where: { reason.contains("\(unrecognized) \"\($0)\"") }) else {
        throw .unfit(reason: "\(reason); PostgreSQL 15 or newer is needed: give a newer server")
      }
      throw error
    }
  }

  private static let unrecognized = "unrecognized configuration parameter"

  /// Checks the additional requirements for creating a store.
  ///
  /// - Parameter isLocal: whether acknowledged data may be durable on the server's own disk only.
  func checkCreation(durableLocally isLocal: Bool) throws {
    var found: (mayCreate: Bool, isAsynchronous: Bool, role: String, database: String)?
    try connection.query(
      """
      SELECT has_database_privilege(current_database(), 'CREATE'),
        \(Self.isAsynchronous),
        current_user::text, current_database()::text
      """
    ) { row in
      found = (row.integer(0) != 0, row.integer(1) != 0, row.text(2), row.text(3))
    }
    guard let found else { return }
    guard found.mayCreate else {
      throw StoreError.unusable(
        database: found.database,
        reason: "the role \(found.role) may not create a schema in it; let its owner say GRANT "
          + "CREATE ON DATABASE \(found.database) TO \(found.role)")
    }
    guard isLocal || !found.isAsynchronous else {
      throw StoreError.unusable(
        database: found.database,
        reason: "\(Self.asynchronyFault), or say that this is wanted with --durability local")
    }
  }

  /// Returns whether an asynchronous standby follows the server, although the store was not created
  /// with local durability.
  func isUnprotected() throws -> Bool {
    var isUnprotected = false
    try connection.query(
      """
      SELECT \(Self.isAsynchronous)
        AND NOT EXISTS (SELECT FROM meta WHERE key = '\(Self.durabilityNote)' AND value = 'local')
      """
    ) { isUnprotected = $0.integer(0) != 0 }
    return isUnprotected
  }

  /// The key of a note. The note's value is "local" if acknowledged data may be durable on the
  /// server's own disk only.
  static let durabilityNote = "durability"

  /// The fault of a server with an asynchronous standby, and its remedy.
  static let asynchronyFault =
    "its standbys follow asynchronously: acknowledged data would be missing after the "
    + "promotion of one; set synchronous_standby_names on the server"

  /// A condition: an asynchronous standby follows the server. A base backup in progress and logical
  /// replication are no standbys.
  private static let isAsynchronous = """
    (current_setting('synchronous_standby_names') = '' AND EXISTS (
      SELECT FROM pg_stat_replication r WHERE r.state IS DISTINCT FROM 'backup'
        AND NOT EXISTS (
          SELECT FROM pg_replication_slots s
          WHERE s.active_pid = r.pid AND (s.temporary OR s.slot_type = 'logical'))))
    """
}
