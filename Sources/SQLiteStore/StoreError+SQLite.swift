import GRDB
import Reminders
import Store

extension StoreError {
  /// Converts an error of a transaction.
  ///
  /// - Parameter file: the path of the database, for messages.
  init(_ error: any Error, file: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as CodingFailure: self = .damaged(file: file, reason: "\(error)")
    case let error as DamagedRow: self = .damaged(file: file, reason: "\(error)")
    case let error as DatabaseError: self.init(sqlite: error, file: file)
    default: self = .failed(reason: "\(error)")
    }
  }

  private init(sqlite error: DatabaseError, file: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_SCHEMA:
      self = .damaged(file: file, reason: reason)
    case .SQLITE_ERROR where Self.missingPartMessages.contains(where: reason.hasPrefix):
      self = .damaged(file: file, reason: reason)
    case .SQLITE_FULL: self = .full(reason: reason)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(reason: reason)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
      self = .unreadable(directory: file, reason: reason)
    // SQLite extends the index of its log by a write. If the write fails, SQLite gives no reason;
    // the usual one is a full disk.
    case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
      self = .full(reason: "the index of the log cannot be made longer")
    case .SQLITE_IOERR:
      let operation = Self.operation(error.extendedResultCode)
      self = .failed(reason: operation.map { "\(reason) \($0)" } ?? reason)
    default: self = .failed(reason: reason)
    }
  }

  /// The prefixes of SQLite's messages about missing parts of the schema.
  private static let missingPartMessages = ["no such table", "no such column"]

  /// Returns the failed disk operation in words; nil for other codes.
  private static func operation(_ code: ResultCode) -> String? {
    switch code {
    case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ: "on reading"
    case .SQLITE_IOERR_WRITE: "on writing"
    case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: "on syncing"
    case .SQLITE_IOERR_TRUNCATE: "on cutting a file"
    case .SQLITE_IOERR_FSTAT: "on measuring a file"
    case .SQLITE_IOERR_DELETE: "on deleting a file"
    case .SQLITE_IOERR_ACCESS: "on looking for a file"
    case .SQLITE_IOERR_LOCK, .SQLITE_IOERR_UNLOCK, .SQLITE_IOERR_RDLOCK,
      .SQLITE_IOERR_CHECKRESERVEDLOCK:
      "on locking a file"
    case .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMLOCK:
      "on sharing memory"
    default: nil
    }
  }
}
