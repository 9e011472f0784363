internal import Glibc

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
