import GRDBSQLite

/// Changes a database file without the service.
enum SQL {
  static func run(_ statements: String, on path: String) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open(path, &connection) == SQLITE_OK,
      sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK
    else { throw Failure("\(path): \(String(cString: sqlite3_errmsg(connection)))") }
  }
}
