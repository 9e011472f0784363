internal import Glibc

/// A copy of a store as it was at one instant, made while the service goes on.
///
/// The file has no name any more, so that nothing is left of it when the value goes, or the
/// process.
package final class StoreBackup: Sendable {
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
