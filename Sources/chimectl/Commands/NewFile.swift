import Glibc

/// A file that gets its name only when it is complete, and that replaces no other file.
final class NewFile {
  let path: String
  /// The number of bytes written so far.
  private(set) var size = 0
  /// The descriptor of the open file; -1 once it has its name.
  private var descriptor: Int32
  /// The name of the incomplete file.
  var partialPath: String { Self.partialPath(path) }

  init(_ path: String) throws(CommandError) {
    self.path = path
    // A link that leads nowhere occupies the name too.
    guard faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
      throw Self.existsError(path)
    }
    let partial = Self.partialPath(path)
    descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno != EEXIST else { throw Self.partialExistsError(partial) }
      throw CommandError(
        .cannotCreate, "\(partial) cannot be created: \(String(cString: strerror(errno)))")
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
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw writeError() }
    guard takeName() else {
      throw errno == EEXIST ? Self.existsError(path) : writeError()
    }
    close(descriptor)
    descriptor = -1
  }

  /// Gives the file its name; returns false, with errno, on failure. A file that another program
  /// has created under that name meanwhile stays.
  private func takeName() -> Bool {
    if link(partialPath, path) == 0 { return unlink(partialPath) == 0 }
    // Some file systems, such as FAT, have no links.
    guard errno == EPERM || errno == EOPNOTSUPP else { return false }
    let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard reserved >= 0 else { return false }
    close(reserved)
    return rename(partialPath, path) == 0
  }

  private static func partialPath(_ path: String) -> String { path + ".partial" }

  private static func existsError(_ path: String) -> CommandError {
    CommandError(.cannotCreate, "\(path) exists already", hint: "give another name")
  }

  private static func partialExistsError(_ path: String) -> CommandError {
    CommandError(
      .cannotCreate, "\(path) exists already",
      hint: "delete it if no other command is writing it, or give another name")
  }

  private func writeError() -> CommandError {
    CommandError(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
