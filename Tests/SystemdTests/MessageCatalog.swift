import Glibc
import Testing

/// The service's message catalog, parsed as journalctl parses it.
struct MessageCatalog {
  struct Entry {
    let id: String
    let headers: [(name: String, value: String)]
    let body: [String]

    func values(of header: String) -> [String] {
      headers.filter { $0.name == header }.map(\.value)
    }

    /// The names between two `@` in the subject and the body.
    var fields: Set<String> {
      let text = (values(of: "Subject") + body).joined(separator: "\n")
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      return Set(parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }
  }

  let entries: [Entry]

  init(_ text: String) {
    var sections: [[String]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("-- ") {
        sections.append([String(line.dropFirst(3))])
      } else if !sections.isEmpty && !line.hasPrefix("#") {
        sections[sections.count - 1].append(line)
      }
    }
    entries = sections.map { lines in
      let headers = lines.dropFirst().prefix { !$0.isEmpty }
      return Entry(
        id: lines[0],
        headers: headers.map { line in
          let parts = line.split(separator: ":", maxSplits: 1)
          return (String(parts[0]), parts.count == 2 ? String(parts[1].dropFirst()) : "")
        }, body: Array(lines.dropFirst(1 + headers.count)))
    }
  }

  /// The catalog file that is installed.
  static func shipped() throws -> MessageCatalog {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(root)/systemd/chimed.catalog"
    let file = try #require(fopen(path, "r"), "cannot open \(path)")
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    try #require(count < bytes.count, "\(path) is longer than this test reads")
    return MessageCatalog(String(decoding: bytes.prefix(count), as: UTF8.self))
  }
}
