import GRDB

extension SQLiteStore {
  /// Under which the store notes the keys of its hashes.
  static let hashKeysName = "hash keys"

  /// Refuses a file that is not ours, is ahead of this version, or is not all there. The connection
  /// cannot write: one that can would already change the file when it is opened or closed.
  ///
  /// - Parameter file: what errors speak of, if it is not the file that is opened.
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
    let found = try Int.fetchOne(database, sql: "PRAGMA application_id")
    guard found == Schema.applicationID else {
      throw StoreError.damaged(file: file, reason: "it is the database of another program")
    }
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= Schema.version else { throw StoreError.newer(file: file) }
  }
}
