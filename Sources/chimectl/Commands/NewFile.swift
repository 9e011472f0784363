import Glibc

/// A file that gets its name only when it is complete.
final class NewFile {
  let path: String
  /// The number of bytes written so far.
  private(set) var size = 0
  /// The descriptor of the open file; -1 once it has its name.
  private var descriptor: Int32
  /// The name of the incomplete file.
  var partialPath: String { path + ".partial" }

  init(_ path: String) throws(CommandError) {
    self.path = path
    guard access(path, F_OK) != 0 else {
      throw CommandError(.cannotCreate, "\(path) exists already", hint: "give another name")
    }
    descriptor = open(path + ".partial", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(
        .cannotCreate, "\(path).partial cannot be created: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(partialPath)
  }

  func write(_ bytes: some Collection<UInt8>) throws(CommandError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw writeError() }
      size += count
      rest = rest.dropFirst(count)
    }
  }

  /// Syncs the file and gives it its name.
  ///
  /// - Parameter mode: the permissions of the file; by default only its owner may read the file.
  func finish(mode: mode_t = 0o600) throws(CommandError) {
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, rename(partialPath, path) == 0
    else {
      throw writeError()
    }
    close(descriptor)
    descriptor = -1
  }

  private func writeError() -> CommandError {
    CommandError(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
