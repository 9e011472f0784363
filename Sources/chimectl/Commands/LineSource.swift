import Glibc

/// Reads a file in groups of whole lines. A group has all lines that can be read at once. So a slow
/// stream is forwarded without delay, and a large file in large groups.
final class LineSource {
  struct Group {
    var bytes: [UInt8]
    /// The number of the group's first line in the file, from 1.
    var firstLine: Int
  }

  /// The service's limit of a line, in bytes.
  private static let longestLine = 1 << 20
  /// The most bytes that are read at once.
  private static let portionBytes = 1 << 18

  private let file: Int32
  /// The name of the file in errors.
  private let name: String
  /// The hint of the error about a line that is too long; nil for none.
  private let hint: String?
  /// The bytes that were read and are not part of a group yet.
  private var rest: [UInt8] = []
  /// The number of the line with which `rest` begins.
  private var line = 1
  /// Whether the whole file has been read.
  private var isAtEnd = false
  /// The number of bytes in the groups so far.
  private var groupedByteCount = 0

  /// - Parameters:
  ///   - file: a path, or `-` for standard input.
  ///   - hint: the hint of the error about a line that is too long; nil for none.
  init(file path: String, hint: String? = nil) throws(CommandError) {
    name = path == "-" ? "standard input" : path
    self.hint = hint
    file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw CommandError(.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    if file != STDIN_FILENO { close(file) }
  }

  /// A text such as "45 %: " for a file of known size; otherwise empty.
  var progress: String {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return ""
    }
    return "\(min(100, groupedByteCount * 100 / Int(status.st_size))) %: "
  }

  /// Returns the next group; nil at the end of the file.
  func next() throws(CommandError) -> Group? {
    while !isAtEnd {
      let end = try read()
      if let end { return group(upTo: end) }
      guard rest.count <= Self.longestLine else {
        throw CommandError(
          .data, "line \(line) of \(name) is longer than \(Self.longestLine) bytes",
          hint: hint)
      }
    }
    return rest.isEmpty ? nil : group(upTo: rest.count)
  }

  /// Reads some bytes, and returns the offset in `rest` after the last complete line among them;
  /// nil if there is none.
  private func read() throws(CommandError) -> Int? {
    var portion = [UInt8](repeating: 0, count: Self.portionBytes)
    let count = Glibc.read(file, &portion, portion.count)
    guard count >= 0 else {
      if errno == EINTR { return nil }
      throw CommandError(.noInput, "\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    let previousCount = rest.count
    rest += portion[..<count]
    return rest[previousCount...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  private func group(upTo end: Int) -> Group {
    let group = Group(bytes: Array(rest[..<end]), firstLine: line)
    groupedByteCount += end
    line += group.bytes.count { $0 == UInt8(ascii: "\n") }
    rest.removeSubrange(..<end)
    return group
  }
}
