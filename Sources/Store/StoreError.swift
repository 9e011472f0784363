/// Why the store cannot do what was asked, for the person who runs the service.
package enum StoreError: Error, Sendable, CustomStringConvertible {
  /// Another process holds the state directory.
  case inUse(directory: String)
  case unreadable(directory: String, reason: String)
  /// A file that is to be restored. Nothing was changed.
  case unreadableBackup(file: String, reason: String)
  /// A file that is to be restored and is no backup, or a damaged one. Nothing was changed.
  case damagedBackup(file: String, reason: String)
  /// A file that is no database, or a damaged one. Nothing was changed.
  case damaged(file: String, reason: String)
  /// A later version of the service has been here. Nothing was changed.
  case newer(file: String)
  /// A store that a backup would have to replace. Nothing was changed.
  case present(file: String)
  /// A database on a server that cannot be reached.
  case unreachable(database: String, reason: String)
  /// A database of which this makes no copy.
  case noBackup(database: String)
  /// A database that cannot be worked on.
  case unusable(database: String, reason: String)
  /// There is no room; what was asked has not happened and may be asked again.
  case full(reason: String)
  /// Another program has locked it; what was asked has not happened and may be asked again.
  case locked(reason: String)
  /// The disk failed, on reading or writing: what is on it is unknown, and only reading it anew
  /// will tell.
  case failed(reason: String)
  /// The connection to the store ended while a change was being committed: whether that was done
  /// is unknown, and only reading it anew will tell.
  case commitUnknown(reason: String)
  /// Something of a shard was to be written that is not this node's, or nothing is this node's any
  /// more: what is in memory may not be what is in the store, and only reading it anew will tell.
  case notOwner(reason: String)

  /// Whether nothing was changed, and what was asked may go well at another time.
  package var isPassing: Bool {
    switch self {
    case .full, .locked: true
    default: false
    }
  }

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
        + "restore it as somebody who may read it, such as root"
    case .damagedBackup(let file, let reason):
      "\(file) is damaged or not a chimed store (\(reason)); nothing was changed. "
        + "Restore another backup"
    case .damaged(let file, let reason):
      "\(file) is damaged or not a chimed store (\(reason)); it was left as it is. "
        + "Restore a backup, or move the file away to begin anew"
    case .newer(let file):
      "\(file) was written by a newer version of chimed; install that version again"
    case .present(let file):
      "\(file) is there already; add --replace to put it aside, or give another directory"
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
        + "store anew"
    case .notOwner(let reason):
      "another node owns what was to be written (\(reason)); nothing was changed, and the service "
        + "has to read the store anew"
    }
  }
}
