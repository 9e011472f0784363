import Glibc
import Outbox
import Systemd

/// A file that lines are appended to.
///
/// The file and its directory stay open even if they are moved. `reopen` resolves the path again.
final class LineFile {
  let path: String
  private var directory: Descriptor
  private var file: Descriptor
  /// Whether the file may end with part of a line, which is then ended before the next line.
  private var isTorn = false

  private var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  init(_ path: String) throws(SinkOutage) {
    self.path = path
    (directory, file) = try Self.open(path)
    isTorn = !isLastLineComplete
  }

  /// The open directory and file of a path.
  typealias OpenFile = (directory: Descriptor, file: Descriptor)

  static func open(_ path: String) throws(SinkOutage) -> OpenFile {
    let directory = Glibc.open(
      WritableFile.parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure("\(path) cannot be opened") }
    let holder = Descriptor(directory)
    let file = try openFile(path, from: AT_FDCWD)
    // Without a synced directory, a power failure would lose a new file with all its lines.
    fsync(directory)
    return (holder, file)
  }

  /// - Parameter directory: the directory that a relative path starts from.
  private static func openFile(
    _ path: String, from directory: Int32
  ) throws(SinkOutage) -> Descriptor {
    let file = openat(directory, path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("\(path) cannot be opened") }
    let descriptor = Descriptor(file)
    return isPipe(descriptor) ? try writeEnd(ofPipe: descriptor, path) : descriptor
  }

  /// Opens a named pipe again for writing only. The descriptor opened for reading and writing would
  /// count as a reader, so that lines would be written although no program reads them.
  ///
  /// Opens the descriptor's link in /proc, because the path may name another file now.
  private static func writeEnd(
    ofPipe pipe: Descriptor, _ path: String
  ) throws(SinkOutage) -> Descriptor {
    let link = "/proc/self/fd/\(pipe.number)"
    let end = withExtendedLifetime(pipe) { Glibc.open(link, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
    guard end >= 0 else { throw failure("\(path), a pipe, cannot be opened by \(link)") }
    let descriptor = Descriptor(end)
    guard fcntl(end, F_SETFL, 0) == 0 else { throw failure("\(path) cannot be opened") }
    return descriptor
  }

  private static func isPipe(_ file: Descriptor) -> Bool {
    status(of: file).st_mode & S_IFMT == S_IFIFO
  }

  private static func failure(_ problem: String) -> SinkOutage {
    SinkOutage("\(problem): \(String(cString: strerror(errno)))")
  }

  private static func status(of file: Descriptor) -> stat {
    var status = stat()
    fstat(file.number, &status)
    return status
  }

  private func status() -> stat { Self.status(of: file) }

  private var isRegular: Bool { status().st_mode & S_IFMT == S_IFREG }

  /// The size in bytes; 0 for anything except a regular file.
  var size: Int { isRegular ? status().st_size : 0 }

  private var isLastLineComplete: Bool {
    let size = size
    guard size > 0 else { return true }
    var byte: UInt8 = 0
    return pread(file.number, &byte, 1, size - 1) != 1 || byte == UInt8(ascii: "\n")
  }

  /// Opens the path again if the file was deleted, and ends a line that is incomplete.
  func prepare() throws(SinkOutage) {
    // A file without a name is lost when it is closed.
    if status().st_nlink == 0 { try reopen() }
    guard isTorn else { return }
    // Another process that writes to the file may have ended the line.
    if !isRegular || !isLastLineComplete {
      var written = 0
      try LineWriting.write([UInt8(ascii: "\n")], to: file.number, written: &written)
    }
    isTorn = false
  }

  /// Appends whole lines and waits until they are on disk. If that fails, the lines are removed
  /// again from a regular file.
  func append(_ bytes: [UInt8]) throws(SinkOutage) {
    try prepare()
    let size = size
    var written = 0
    do throws(SinkOutage) {
      try LineWriting.write(bytes, to: file.number, written: &written)
      if isRegular, fdatasync(file.number) != 0 { throw Self.failure("syncing failed") }
    } catch {
      isTorn = !truncate(written, from: size) && LineWriting.isTorn(bytes, written, false)
      throw error
    }
  }

  /// Removes the written bytes, and returns whether that succeeded. Changes nothing if another
  /// process has written to the file meanwhile.
  private func truncate(_ written: Int, from size: Int) -> Bool {
    guard isRegular, self.size == size + written else { return false }
    return ftruncate(file.number, size) == 0
  }

  /// Opens the path again, which may name another file now. On failure the current file stays open.
  private func reopen() throws(SinkOutage) { resume(in: try Self.open(path)) }

  /// Continues in another open file, or in the same one if the path still names it.
  func resume(in opened: OpenFile) {
    let isSamePipe = !isRegular && isOpenFile(Self.status(of: opened.file))
    (directory, file) = opened
    isTorn = isSamePipe ? isTorn : !isLastLineComplete
  }

  // MARK: - Rotating

  /// Continues in a new file: `.1` is appended to the name of the current file, the file with `.1`
  /// gets `.2`, and so on. The oldest file is deleted if there are more than `keep`. If another
  /// process has moved the current file, continues in the file at the path and renames nothing.
  func rotate(keep: Int) throws(SinkOutage) {
    // If another process has moved the current file, the path is free or names another file.
    guard isAtItsPath else { return try openNext() }
    let last = (1...keep).first { !exists(rotatedName(of: $0)) } ?? keep
    for number in stride(from: last, to: 1, by: -1) {
      try rename(rotatedName(of: number - 1), to: rotatedName(of: number))
    }
    try rename(name, to: rotatedName(of: 1))
    do throws(SinkOutage) {
      try openNext()
    } catch {
      try rename(rotatedName(of: 1), to: name)
      throw error
    }
  }

  /// Returns the name of a rotated file; the latest has number 1.
  private func rotatedName(of number: Int) -> String { "\(name).\(number)" }

  private var isAtItsPath: Bool {
    var entry = stat()
    guard fstatat(directory.number, name, &entry, 0) == 0 else { return false }
    return isOpenFile(entry)
  }

  /// Whether a status is that of the open file.
  private func isOpenFile(_ entry: stat) -> Bool {
    let openFileStatus = status()
    return entry.st_ino == openFileStatus.st_ino && entry.st_dev == openFileStatus.st_dev
  }

  private func exists(_ name: String) -> Bool {
    faccessat(directory.number, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
  }

  private func rename(_ name: String, to other: String) throws(SinkOutage) {
    guard renameat(directory.number, name, directory.number, other) == 0 else {
      throw Self.failure("\(name) cannot be renamed to \(other)")
    }
  }

  /// Opens or creates the file at the path in the open directory.
  private func openNext() throws(SinkOutage) {
    file = try Self.openFile(name, from: directory.number)
    fsync(directory.number)
    isTorn = !isLastLineComplete
  }
}

/// Writes lines to a descriptor of any kind.
enum LineWriting {
  /// - Parameter written: the number of bytes written, also on failure.
  static func write(
    _ bytes: [UInt8], to descriptor: Int32, written: inout Int
  ) throws(SinkOutage) {
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { rest in
        Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let reason = errno == EPIPE ? "the pipe has no reader" : String(cString: strerror(errno))
        throw SinkOutage("writing failed: \(reason)")
      }
    }
  }

  /// Whether the last line is incomplete after `written` of the bytes were written.
  static func isTorn(_ bytes: [UInt8], _ written: Int, _ wasTorn: Bool) -> Bool {
    written == 0 ? wasTorn : bytes[written - 1] != UInt8(ascii: "\n")
  }
}
