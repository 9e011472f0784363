import Glibc

/// Notices when the system's tz database is replaced (rule T1): a package manager renames new files
/// into its directory.
struct ZoneWatch {
  let descriptor: Int32

  /// Nil where the kernel cannot watch the directory.
  init?(directory: String) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE)
    guard inotify_add_watch(descriptor, directory, changes) >= 0 else {
      close(descriptor)
      return nil
    }
  }

  /// Reads all that has happened; whether anything has.
  func readChanges() -> Bool {
    var hasChanges = false
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 { hasChanges = true }
    return hasChanges
  }
}
