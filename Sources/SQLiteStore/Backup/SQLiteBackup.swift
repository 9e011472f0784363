import GRDBSQLite
internal import Glibc
package import Store

/// A copy of a store, made while the service runs.
///
/// The file with the copy is already unlinked, so it disappears with this object or the process.
package final class SQLiteBackup: StoreBackup {
  private let descriptor: Int32
  /// The size in bytes.
  package let size: Int64

  /// Copies the store by SQLite's online backup, through a read-only connection. The copy takes as
  /// long as reading the store. The service can write meanwhile; what it writes is not in the copy.
  ///
  /// - Parameters:
  ///   - directory: the state directory of a store, which any process may have open.
  ///   - vfs: the VFS for access to the disk; nil for the default one.
  package init(ofStoreIn directory: String, vfs: String? = nil) throws(StoreError) {
    let path = Self.partialFile(in: directory)
    defer { unlink(path) }
    let file = StateDirectory.database(in: directory)
    let store = DatabaseAddress(file: file, vfs: vfs)
    try ReadFailure.confirmingDamage(of: store) {
      try Self.copy(store, to: DatabaseAddress(file: path, vfs: vfs))
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw .unreadable(directory: directory, reason: reason)
    }
    size = Int64(status.st_size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads at most `count` bytes at an offset; returns an empty array at the end of the file.
  package func bytes(at offset: Int64, atMost count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard read >= 0 else {
      throw .failed(reason: "a backup cannot be read: \(String(cString: strerror(errno)))")
    }
    return Array(bytes[..<read])
  }

  /// Removes the file that is left after a crash during a backup.
  static func removePartialFile(in directory: String) {
    unlink(partialFile(in: directory))
  }

  /// Returns the path of the file that a backup uses until it is unlinked.
  private static func partialFile(in directory: String) -> String {
    directory + "/backup.partial"
  }

  private static func copy(
    _ store: DatabaseAddress, to partial: DatabaseAddress
  ) throws(StoreError) {
    unlink(partial.file)
    let file = open(partial.file, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0o600)
    guard file >= 0 else { throw StoreError.failed(reason: String(cString: strerror(errno))) }
    close(file)
    let source = try PlainConnection(store, isReadOnly: true)
    let target = try PlainConnection(partial, isReadOnly: false)
    try target.copy(from: source)
  }
}

/// An open file that may be a backup. It stays readable after the process has changed its user.
final class BackupFile {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
  }

  deinit { close(descriptor) }

  /// Copies the backup to a new file and syncs the copy.
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
      guard FileContent.write(buffer[..<count], to: target) else { throw Self.failed(path) }
    }
    guard fsync(target) == 0 else { throw Self.failed(path) }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> StoreError {
    .unreadableBackup(file: path, reason: String(cString: strerror(code)))
  }

  private static func failed(_ path: String) -> StoreError {
    let code = errno
    let reason = "\(path) cannot be written: \(String(cString: strerror(code)))"
    return code == ENOSPC ? .full(reason: reason) : .failed(reason: reason)
  }
}

enum FileContent {
  /// Writes all bytes. If the disk becomes full, a call of write(2) may write only some of them,
  /// and the next call fails.
  ///
  /// - Returns: whether all bytes were written; if not, `errno` has the reason.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
