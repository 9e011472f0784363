/// An error of the store; its description is for the operator.
package enum StoreError: Error, Sendable, CustomStringConvertible {
  /// Another process has locked the state directory.
  case inUse(directory: String)
  /// The state directory, or a file in it, cannot be used.
  case unreadable(directory: String, reason: String)
  /// The backup to restore cannot be read. Nothing was changed.
  case unreadableBackup(file: String, reason: String)
  /// The file to restore is not a backup, or is damaged. Nothing was changed.
  case damagedBackup(file: String, reason: String)
  /// The file is not a database, or is damaged. Nothing was changed.
  case damaged(file: String, reason: String)
  /// A later version of the service has written the store. Nothing was changed.
  case newer(file: String)
  /// The backup would have to replace an existing store. Nothing was changed.
  case present(file: String)
  /// The database server cannot be reached.
  case unreachable(database: String, reason: String)
  /// The service makes no backup of this database.
  case noBackup(database: String)
  /// The database cannot be used.
  case unusable(database: String, reason: String)
  /// The disk is full. The request had no effect and may be repeated.
  case full(reason: String)
  /// Another program has locked the store. The request had no effect and may be repeated.
  case locked(reason: String)
  /// The disk failed on reading or writing. The state on disk is unknown until it is read again.
  case failed(reason: String)
  /// The connection to the store ended during a commit. Until the store is read again, it is
  /// unknown whether the commit took effect.
  case commitUnknown(reason: String)
  /// A write was for a shard that this node does not own, or the node no longer owns any shard. The
  /// node's memory may differ from the store, which has to be read again.
  case notOwner(reason: String)

  /// Whether the request had no effect and may succeed later.
  package var isPassing: Bool {
    switch self {
    case .full, .locked: true
    default: false
    }
  }

  /// Whether another program has locked the store.
  package var isLock: Bool { if case .locked = self { true } else { false } }

  package var description: String {
    switch self {
    case .inUse(let directory):
      "the state directory \(directory) is in use by another chimed; stop that one, or give "
        + "this one a directory of its own with --state-directory"
    case .unreadable(let directory, let reason):
      "the state directory \(directory) cannot be used: \(reason)"
    case .unreadableBackup(let file, let reason):
      "\(file) cannot be read: \(reason); give a file that `chimectl backup` has made, and "
        + "restore it as a user who may read it, such as root"
    case .damagedBackup(let file, let reason):
      "\(file) is damaged or not a chimed store (\(reason)); nothing was changed. "
        + "Restore another backup"
    case .damaged(let file, let reason):
      "\(file) is damaged or not a chimed store (\(reason)); it was left as it is. "
        + "Restore a backup, or move the file away to start with an empty store"
    case .newer(let file):
      "\(file) was written by a newer version of chimed; install that version again"
    case .present(let file):
      "\(file) already exists; add --replace to move it aside, or give another directory"
    case .unreachable(let database, let reason), .unusable(let database, let reason):
      "the database \(database) cannot be used: \(reason)"
    case .noBackup(let database):
      "the database \(database) is backed up by PostgreSQL's own tools; use pg_dump or "
        + "pg_basebackup, as chimed-fleet(7) says"
    case .full(let reason): "the disk is full (\(reason)); nothing was changed"
    case .locked(let reason):
      "another program has locked the store (\(reason)); nothing was changed"
    case .failed(let reason): "the store failed (\(reason))"
    case .commitUnknown(let reason):
      "whether the last change was committed is unknown (\(reason)); the service has to read the "
        + "store again"
    case .notOwner(let reason):
      "another node owns the data that was to be written (\(reason)); nothing was changed, and the "
        + "service has to read the store again"
    }
  }
}
