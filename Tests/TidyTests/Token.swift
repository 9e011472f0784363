/// A word or punctuation mark of a text.
struct Token: Equatable, Sendable {
  let text: String
  /// The number of the line, counted from 1.
  let line: Int
  /// The offset of the first byte.
  let start: Int

  var end: Int { start + text.utf8.count }
  var isWord: Bool { text.utf8.first.map(Self.isWordByte) ?? false || text.hasPrefix("`") }

  /// Returns the tokens of `text`. Swift code must not contain comments or string texts; its names
  /// in backquotes are one token each.
  static func all(in text: String, isSwift: Bool = true) -> [Token] {
    let bytes = Array(text.utf8)
    var tokens: [Token] = []
    var line = 1
    var position = 0
    while position < bytes.count {
      let start = position
      let byte = bytes[start]
      position += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isSpace(byte) { continue }
      if isWordByte(byte) {
        position = bytes[start...].firstIndex { !isWordByte($0) } ?? bytes.count
      } else if isSwift, byte == UInt8(ascii: "`"),
        let close = bytes[position...].firstIndex(of: byte)
      {
        position = close + 1
      }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      tokens.append(Token(text: text, line: line, start: start))
    }
    return tokens
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }
}

extension [Token] {
  /// Whether the token at `index` touches the one before it.
  func touchesPrevious(at index: Int) -> Bool {
    index > 0 && self[index - 1].end == self[index].start
  }

  /// Whether the token at `index` is the name of a member, such as `init` in `self.init`.
  func isMember(at index: Int) -> Bool {
    index > 0 && self[index - 1].text == "."
  }

  /// Returns the index of the bracket that closes the one at `index`; nil if there is none.
  func closing(ofOpeningAt index: Int) -> Int? {
    matching(in: indices[index...], opening: ["(", "[", "{"], closing: [")", "]", "}"])
  }

  /// Returns the index of the bracket that opens the one at `index`; nil if there is none.
  func opening(ofClosingAt index: Int) -> Int? {
    matching(in: indices[...index].reversed(), opening: [")", "]", "}"], closing: ["(", "[", "{"])
  }

  private func matching(
    in order: some Sequence<Int>, opening: Set<String>, closing: Set<String>
  ) -> Int? {
    var depth = 0
    for index in order {
      if opening.contains(self[index].text) { depth += 1 }
      if closing.contains(self[index].text) { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
