import Glibc

/// Reads a file a group of whole lines at a time: as many as are there, so that a stream that
/// trickles is passed on at once and a large file in large groups.
final class LineSource {
  struct Group {
    var bytes: [UInt8]
    var firstLine: Int
  }

  /// The longest line that the service takes.
  private static let longestLine = 1 << 20
  private static let portion = 1 << 18

  private let file: Int32
  private let name: String
  private var rest: [UInt8] = []
  private var line = 1
  private var isAtEnd = false
  private var taken = 0

  /// - Parameter file: a path, or `-` for standard input.
  init(file path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    if file != STDIN_FILENO { close(file) }
  }

  /// "45 %: ", of a file whose size is known; else nothing.
  var progress: String {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return ""
    }
    return "\(min(100, taken * 100 / Int(status.st_size))) %: "
  }

  /// Nil at the end.
  func next() throws(Failure) -> Group? {
    while !isAtEnd {
      let end = try read()
      if let end { return group(upTo: end) }
      guard rest.count <= Self.longestLine else {
        throw Failure(
          .data, "line \(line) of \(name) is longer than \(Self.longestLine) bytes",
          hint: "an event is a JSON object on one line")
      }
    }
    return rest.isEmpty ? nil : group(upTo: rest.count)
  }

  /// Reads some bytes; returns where the last line ends that has its end among them.
  private func read() throws(Failure) -> Int? {
    var portion = [UInt8](repeating: 0, count: Self.portion)
    let count = Glibc.read(file, &portion, portion.count)
    guard count >= 0 else {
      if errno == EINTR { return nil }
      throw Failure(.noInput, "\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    let known = rest.count
    rest += portion[..<count]
    return rest[known...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }

  private func group(upTo end: Int) -> Group {
    let group = Group(bytes: Array(rest[..<end]), firstLine: line)
    taken += end
    line += group.bytes.count { $0 == UInt8(ascii: "\n") }
    rest.removeSubrange(..<end)
    return group
  }
}
