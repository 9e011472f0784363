import Glibc
import Reminders

/// A file of the state directory that only the service can read.
enum StateFile {
  /// Writes a file atomically and durably.
  ///
  /// - Throws: why the file could not be written. The previous file is then unchanged, unless only
  ///   the sync of the directory failed.
  static func replace(
    _ path: String, in directory: String, with bytes: [UInt8]
  ) throws(Diagnostic) {
    let partial = path + ".partial"
    defer { unlink(partial) }
    guard write(bytes, to: partial), rename(partial, path) == 0, sync(directory: directory) else {
      throw Diagnostic(
        file: path, message: "cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes and syncs a new file; returns false, with errno, on failure.
  private static func write(_ bytes: [UInt8], to path: String) -> Bool {
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return fsync(file) == 0
  }

  private static func sync(directory: String) -> Bool {
    let directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return false }
    defer { close(directory) }
    return fsync(directory) == 0
  }
}
