internal import Glibc

/// A file that is said to be a backup. It stays open for whoever may read it, whatever they may do
/// later.
final class BackupFile {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
  }

  deinit { close(descriptor) }

  /// Writes it into a file that is made for that, durably.
  func copy(to path: String) throws(StoreError) {
    unlink(path)
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw Self.failed(path) }
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Self.unreadable(self.path, errno) }
      if count == 0 { break }
      guard write(target, buffer, count) == count else { throw Self.failed(path) }
    }
    guard fsync(target) == 0 else { throw Self.failed(path) }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> StoreError {
    .unreadableBackup(file: path, reason: String(cString: strerror(code)))
  }

  private static func failed(_ path: String) -> StoreError {
    .failed(reason: "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
