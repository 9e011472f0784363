import GRDB
import Store

extension SQLiteStore {
  /// Rejects a file that is not a store, was written by a later version, or is incomplete. The
  /// connection is read-only, because opening or closing a writing connection could change the
  /// file.
  ///
  /// - Parameter file: the name for errors; nil for the name of the opened file.
  /// - Returns: the connection, closed.
  @discardableResult
  static func inspect(
    _ address: DatabaseAddress, naming file: String? = nil
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: address.path, configuration: configuration)
    try queue.read { database in
      try checkIdentity(database, file: file ?? address.file)
      try Completeness.check(database, file: file ?? address.file)
    }
    try queue.close()
    return queue
  }

  private static func checkIdentity(_ database: Database, file: String) throws {
    let applicationID = try Int.fetchOne(database, sql: "PRAGMA application_id")
    guard applicationID == Schema.applicationID else {
      throw StoreError.damaged(file: file, reason: "it is the database of another program")
    }
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= Schema.version else { throw StoreError.newer(file: file) }
  }
}
