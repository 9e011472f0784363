import GRDB
internal import Glibc

extension SQLiteStore {
  /// Makes an empty store under a name of its own and then gives it the store's, so that a crash at
  /// any moment leaves a whole store or none. One that is cut off while SQLite turns a new file to
  /// write-ahead logging has a journal to be rolled back, which a connection that only inspects it
  /// may not do.
  ///
  /// - Returns: the connection that it was made by, closed.
  static func make(in directory: StateDirectory) throws -> DatabaseQueue {
    let partial = directory.path + "/making.partial"
    remove(partial)
    defer { remove(partial) }
    let queue = try connect(DatabaseAddress(file: partial, vfs: directory.vfs))
    try queue.write { try Schema.create($0) }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try queue.close()
    try place(partial, in: directory)
    return queue
  }

  /// Gives a whole database the store's name, durably.
  static func place(_ file: String, in directory: StateDirectory) throws(StoreError) {
    let path = directory.database
    // SQLite would take what is left of another database for this one's own.
    for suffix in suffixes { unlink(path + suffix) }
    let parent = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(parent) }
    guard rename(file, path) == 0, parent >= 0, fsync(parent) == 0 else {
      throw .failed(reason: "\(path) cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  /// What SQLite keeps beside a database, and what we do.
  static let suffixes = ["-wal", "-shm", "-journal", markSuffix]

  /// Of the file of a store's high-water mark.
  static let markSuffix = "-mark"

  private static func remove(_ file: String) {
    for suffix in [""] + suffixes { unlink(file + suffix) }
  }
}
