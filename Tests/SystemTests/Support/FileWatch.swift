import Glibc

/// Counts the creations, writes and removals of files in a directory.
final class FileWatch {
  let descriptor: Int32
  private(set) var count = 0

  init(_ directory: String) throws {
    let flags = Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)
    descriptor = try Failure.check("inotify", inotify_init1(flags))
    let changes = UInt32(IN_CREATE | IN_DELETE | IN_MODIFY)
    _ = try Failure.check(directory, inotify_add_watch(descriptor, directory, changes))
  }

  deinit {
    close(descriptor)
  }

  /// Adds the changes since the previous call to the count.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let end = Glibc.read(descriptor, &buffer, buffer.count)
    var start = 0
    while start < end {
      let length = buffer.withUnsafeBytes { bytes in
        bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
      }
      start += MemoryLayout<inotify_event>.size + Int(length)
      count += 1
    }
  }
}
