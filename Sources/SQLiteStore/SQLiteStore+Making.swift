import GRDB
internal import Glibc
package import Store

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

extension SQLiteStore {
  /// Looks whether a store can be opened or made in a directory, and takes, makes and changes
  /// nothing. That a service is running on it is no mistake.
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
    // Without the log of a service that runs or was killed, the file alone is not the store.
    guard stat(file + "-wal", &status) != 0 || status.st_size == 0 else { return }
    do {
      try inspect(DatabaseAddress(file: file, isImmutable: true))
    } catch {
      throw StoreError(error, file: file)
    }
  }

  /// The directory itself would be made, but not the one that it is to be in.
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

/// The directory in which a service keeps its state, held by a lock while it runs (a second
/// service on it would fire everything twice).
final class StateDirectory {
  let path: String
  /// By which SQLite reaches what is in it; the usual one if nil.
  let vfs: String?
  private let descriptor: Int32

  /// Takes the lock; it is released when the value goes, or the process.
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
    // A process that is being started at this moment may hold the descriptor too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  var database: String { Self.database(in: path) }
  var address: DatabaseAddress { DatabaseAddress(file: database, vfs: vfs) }
  /// Whether there is something in it: an empty file is nobody's store.
  var hasDatabase: Bool {
    var status = stat()
    return stat(database, &status) == 0 && status.st_size > 0
  }

  static func database(in directory: String) -> String { directory + "/chimed.sqlite" }
}

/// What SQLite opens: a file, by the usual way to the disk or by another that has been registered
/// under a name (a VFS), such as one that fails on demand.
struct DatabaseAddress {
  let file: String
  var vfs: String?
  /// Whether nobody writes the file, so that no log beside it is looked for.
  var isImmutable = false

  /// The file's path, or a URI of it.
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
