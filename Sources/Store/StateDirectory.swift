internal import Glibc

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
