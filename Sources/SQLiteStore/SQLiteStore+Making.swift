import GRDB
internal import Glibc
package import Store

extension SQLiteStore {
  /// The name of the note that contains the keys of the hashes.
  static let hashKeysName = "hash keys"

  /// Creates an empty store under a temporary name and then renames it. So a crash at any moment
  /// leaves a complete store or none. Without the renaming, a crash while SQLite switches a new
  /// file to write-ahead logging could leave a journal. A connection that only inspects the file
  /// cannot roll that journal back.
  ///
  /// - Returns: the closed connection that created the store.
  static func make(in directory: StateDirectory) throws -> DatabaseQueue {
    let partial = directory.path + "/making.partial"
    remove(partial)
    defer { remove(partial) }
    let queue = try connect(DatabaseAddress(file: partial, vfs: directory.vfs))
    try queue.write { try Schema.create($0) }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try queue.close()
    try install(partial, in: directory)
    return queue
  }

  /// Gives a complete database the store's name, and syncs the directory.
  static func install(_ file: String, in directory: StateDirectory) throws(StoreError) {
    let path = directory.database
    // SQLite would use the remaining files of another database for this one.
    for suffix in suffixes { unlink(path + suffix) }
    let parent = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(parent) }
    guard rename(file, path) == 0, parent >= 0, fsync(parent) == 0 else {
      throw .failed(reason: "\(path) cannot be created: \(String(cString: strerror(errno)))")
    }
  }

  /// The suffixes of files beside a database, of SQLite and of chimed.
  static let suffixes = ["-wal", "-shm", "-journal", markSuffix]

  /// The suffix of the file with the high-water mark.
  static let markSuffix = "-mark"

  /// Removes a database and the files beside it.
  private static func remove(_ file: String) {
    for suffix in [""] + suffixes { unlink(file + suffix) }
  }
}

extension SQLiteStore {
  /// Checks whether a store can be opened or created in a directory, without changing anything. A
  /// service may be using the store.
  package static func check(directory path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return try checkParent(of: path) }
      throw unreadable(path, errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw unreadable(path, ENOTDIR) }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw unreadable(path, errno) }
    let file = StateDirectory.database(in: path)
    guard access(file, F_OK) == 0 else { return }
    guard access(file, R_OK | W_OK) == 0 else { throw unreadable(file, errno) }
    // While a service runs, and after it was killed, the log is part of the store, so the file
    // alone cannot be checked.
    guard stat(file + "-wal", &status) != 0 || status.st_size == 0 else { return }
    do {
      try inspect(DatabaseAddress(file: file, isImmutable: true))
    } catch {
      throw StoreError(error, file: file)
    }
  }

  /// Checks that a missing directory can be created: its parent must exist and be writable.
  private static func checkParent(of path: String) throws(StoreError) {
    var directory = path[...]
    while directory.last == "/" { directory.removeLast() }
    directory = directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)]
    let parent = path.hasPrefix("/") ? "/" + directory.drop { $0 == "/" } : "./" + directory
    guard access(parent, W_OK | X_OK) == 0 else { throw unreadable(path, errno) }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> StoreError {
    .unreadable(directory: path, reason: String(cString: strerror(code)))
  }
}

/// The state directory of a service, locked while the service runs. A second service with the same
/// directory would send every notification a second time.
final class StateDirectory {
  /// The path of the directory.
  let path: String
  /// The VFS for access to the directory's files; nil for the default one.
  let vfs: String?
  private let descriptor: Int32

  /// Creates the directory if it is missing, and acquires its lock. The lock is released when this
  /// object or the process ends.
  init(locking path: String, vfs: String? = nil) throws(StoreError) {
    self.path = path
    self.vfs = vfs
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .unreadable(directory: path, reason: String(cString: strerror(errno)))
    }
    descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let hint = errno == EACCES ? "; only its owner may use it, or root" : ""
      throw .unreadable(
        directory: path, reason: "\(path)/lock: \(String(cString: strerror(errno)))\(hint)")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(directory: path) }
  }

  deinit {
    // A child process that is just being started may hold a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The path of the database.
  var database: String { Self.database(in: path) }
  var address: DatabaseAddress { DatabaseAddress(file: database, vfs: vfs) }
  /// Whether the directory contains a database. An empty file does not count.
  var hasDatabase: Bool {
    var status = stat()
    return stat(database, &status) == 0 && status.st_size > 0
  }

  static func database(in directory: String) -> String { directory + "/chimed.sqlite" }
}

/// The address by which SQLite opens a file. It may name a registered VFS, such as one that fails
/// on demand.
struct DatabaseAddress {
  let file: String
  var vfs: String?
  /// Whether no process writes the file, so that SQLite looks for no log.
  var isImmutable = false

  /// The file's path, or its URI.
  var path: String {
    var options: [String] = []
    if let vfs { options.append("vfs=\(vfs)") }
    if isImmutable { options.append("immutable=1") }
    return options.isEmpty ? file : "file:\(escaped)?\(options.joined(separator: "&"))"
  }

  private var escaped: String {
    file.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
