import Postgres
import Reminders
import Store

extension StoreError {
  /// Creates the error that callers of the store get instead of `error`.
  ///
  /// - Parameter database: the name of the database, for messages.
  init(_ error: any Error, database: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as CodingFailure: self = .damaged(file: database, reason: "\(error)")
    case let error as UnreadableRow: self = .damaged(file: database, reason: "\(error)")
    case let error as PostgresError: self.init(error, database)
    default: self = .failed(reason: "\(error)")
    }
  }

  private init(_ error: PostgresError, _ database: String) {
    switch error {
    case .unreachable(let reason): self = .unreachable(database: database, reason: reason)
    case .unfit(let reason): self = .unusable(database: database, reason: reason)
    case .commitUnknown(let reason): self = .commitUnknown(reason: reason)
    case .refused(.duplicateSchema, _):
      self = .unusable(database: database, reason: "it already has the tables of chimed")
    // A part of the store was dropped, or restored incompletely.
    case .refused(.undefinedTable, let reason), .refused(.undefinedColumn, let reason),
      .refused(.undefinedFunction, let reason):
      self = .damaged(file: database, reason: reason)
    // The server's disk is full: nothing was changed, and the request may be repeated.
    case .refused(.diskFull, let reason): self = .full(reason: reason)
    case .refused(SQLState(Schema.fencedCode), let reason),
      .refused(SQLState(Schema.foreignShardCode), let reason):
      self = .notOwner(reason: reason)
    default: self = .failed(reason: "\(error)")
    }
  }
}

/// The error for a row that this version cannot read.
struct UnreadableRow: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - table: the name of the table.
  ///   - column: the name of a column that identifies the row, or the few rows of one notification.
  ///   - value: the value of that column.
  init(_ table: String, _ column: String, _ value: some CustomStringConvertible) {
    description = "a row of the table \(table) with \(column) \(value) cannot be read"
  }
}

extension PostgresError {
  /// Whether the server or the connection is unavailable at the moment. For example, the server
  /// starts up or shuts down, lacks disk space or memory, or took too long to answer, or the
  /// connection was lost.
  var isTransient: Bool {
    switch self {
    case .unreachable, .disconnected: true
    case .refused(let state, _): ["08", "53", "57"].contains(state.kind)
    default: false
    }
  }

  /// Whether the server aborted the transaction because of concurrent ones: another attempt may
  /// succeed.
  var isTransactionConflict: Bool {
    switch self {
    case .refused(.serializationFailure, _), .refused(.deadlock, _): true
    default: false
    }
  }

  /// Whether the server rejected a row whose key another row has.
  var isDuplicateKey: Bool {
    guard case .refused(.uniqueViolation, _) = self else { return false }
    return true
  }
}
