import Glibc
import Systemd
import Testing

/// A pipe to which a journal writes its lines.
final class Pipe {
  private let reader: Int32
  private let writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    let result = pipe(&ends)
    (reader, writer) = (ends[0], ends[1])
    try #require(result == 0, "pipe: errno \(errno)")
    try #require(fcntl(reader, F_SETFL, O_NONBLOCK) == 0, "fcntl: errno \(errno)")
  }

  deinit {
    close(reader)
    close(writer)
  }

  var destination: Journal.Destination { .lines(writer) }
  var journal: Journal { Journal(destination) }

  /// Reads the lines that were written since the last call.
  func lines() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(reader, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }
}

/// Returns a line of the journal without its timestamp; it begins with the priority.
func withoutTimestamp(_ line: String) -> String {
  String(line.drop { $0 != " " }.dropFirst())
}
