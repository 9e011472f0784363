/// Swift source whose comments and string texts are replaced by spaces.
///
/// Lines keep their numbers, and code inside an interpolation stays: a rule sees only the code that
/// the compiler would compile. A bare regex literal (`/.../`) is read as code. There are no block
/// comments, because the formatter refuses them.
struct SwiftCode {
  private var bytes: [UInt8]
  private var position = 0

  /// Returns the code of `text`, in linear time.
  static func only(of text: String) -> String {
    var reader = SwiftCode(bytes: Array(text.utf8))
    reader.passCode(insideInterpolation: false)
    return String(decoding: reader.bytes, as: UTF8.self)
  }

  private mutating func passCode(insideInterpolation: Bool) {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "/") where follows("//"): blank { $0.follows("\n") }
      case UInt8(ascii: "#"), UInt8(ascii: "\""): passPossibleLiteral()
      case UInt8(ascii: "("):
        depth += 1
        position += 1
      case UInt8(ascii: ")"):
        depth -= 1
        position += 1
        if insideInterpolation, depth < 0 { return }
      default: position += 1
      }
    }
  }

  /// Passes a string or a regex literal, which may begin with any number of `#`. The name of a
  /// macro also begins with one, but is code.
  private mutating func passPossibleLiteral() {
    let start = position
    while follows("#") { position += 1 }
    let hashes = String(repeating: "#", count: position - start)
    if follows("\"") {
      passString(hashes: hashes)
    } else if !hashes.isEmpty, follows("/") {
      position += 1
      blank { $0.follows("/" + hashes) }
      position = min(position + 1 + hashes.utf8.count, bytes.count)
    }
  }

  private mutating func passString(hashes: String) {
    let isMultiline = opensMultilineString()
    let quotes = isMultiline ? "\"\"\"" : "\""
    position += quotes.utf8.count
    while position < bytes.count {
      if follows(quotes + hashes) {
        position += quotes.utf8.count + hashes.utf8.count
        return
      }
      if follows("\n"), !isMultiline { return }
      if follows("\\" + hashes + "(") {
        blank(count: hashes.utf8.count + 1)
        position += 1
        passCode(insideInterpolation: true)
      } else {
        blank(count: follows("\\" + hashes) ? hashes.utf8.count + 2 : 1)
      }
    }
  }

  /// Whether a multiline literal begins here: after its three quotes the line ends. `#"""#` is a
  /// short literal that contains one quote.
  private func opensMultilineString() -> Bool {
    guard follows("\"\"\"") else { return false }
    let rest = bytes[(position + 3)...]
    return rest.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "\n")
  }

  private mutating func blank(until isEnd: (Self) -> Bool) {
    while position < bytes.count, !isEnd(self) { blank(count: 1) }
  }

  private mutating func blank(count: Int) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
      position += 1
    }
  }

  private func follows(_ text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }
}
