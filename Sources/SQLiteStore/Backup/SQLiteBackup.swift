import GRDBSQLite
internal import Glibc
package import Store

/// A copy of a store, made while the service goes on.
///
/// The file has no name any more, so that nothing is left of it when the value goes, or the
/// process.
package final class SQLiteBackup: StoreBackup {
  private let descriptor: Int32
  /// In bytes.
  package let size: Int64

  /// Copies by SQLite's online backup, through a connection that only reads: what the service
  /// writes meanwhile is not in it, and does not wait for it. Takes as long as reading the store.
  ///
  /// - Parameter directory: the state directory of a store, which may be open in any process.
  /// - Parameter vfs: by which SQLite reaches the disk; the usual one if nil.
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
      throw .unreadable(directory: directory, reason: String(cString: strerror(errno)))
    }
    size = Int64(status.st_size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The bytes from an offset on, at most so many; none at the end.
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

  /// Removes what a crash in the middle of a backup has left.
  static func removePartialFile(in directory: String) {
    unlink(partialFile(in: directory))
  }

  private static func partialFile(in directory: String) -> String {
    directory + "/backup.partial"
  }

  private static func copy(
    _ store: DatabaseAddress, to partial: DatabaseAddress
  ) throws(StoreError) {
    unlink(partial.file)
    let new = open(partial.file, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0o600)
    guard new >= 0 else { throw StoreError.failed(reason: String(cString: strerror(errno))) }
    close(new)
    let source = try PlainConnection(store, isReadOnly: true)
    let target = try PlainConnection(partial, isReadOnly: false)
    try target.copy(from: source)
  }
}

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
  /// Writes all of some bytes: what finds no room writes a part first, and only then says why.
  ///
  /// - Returns: whether it did; else `errno` says why not.
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
