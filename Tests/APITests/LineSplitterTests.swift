import Testing

@testable import API

@Suite struct LineSplitterTests {
  /// Splits a text that arrives in pieces of the given number of bytes.
  ///
  /// - Returns: for each line its number, and its text or "too long".
  private func lines(_ text: String, pieceLength: Int, maximum: Int = 100) -> [String] {
    var splitter = LineSplitter(maximumBytes: maximum)
    var rest = Array(text.utf8)[...]
    var lines: [String] = []
    while !rest.isEmpty {
      splitter.append(rest.prefix(pieceLength))
      rest = rest.dropFirst(pieceLength)
      appendLines(of: &splitter, to: &lines)
    }
    splitter.finish()
    appendLines(of: &splitter, to: &lines)
    return lines
  }

  private func appendLines(of splitter: inout LineSplitter, to lines: inout [String]) {
    while let line = splitter.next() {
      switch line {
      case .tooLong(let number): lines.append("\(number) too long")
      case .text(let number, let range):
        lines.append(
          "\(number) " + splitter.withBytes(of: range) { String(decoding: $0, as: UTF8.self) })
      }
    }
  }

  static let texts: [(text: String, lines: [String])] = [
    ("", []), ("a", ["1 a"]), ("a\n", ["1 a"]), ("\n\na\nb", ["3 a", "4 b"]),
    ("a\r\n \t\r\nb\n", ["1 a\r", "3 b"]),
    ("12345\n123456\n1\n", ["1 12345", "2 too long", "3 1"]),
    ("123456789", ["1 too long"]), ("123456\n\n12\n", ["1 too long", "3 12"]),
    ("123456789012\n1234567890123\n1", ["1 too long", "2 too long", "3 1"]),
  ]

  @Test(arguments: texts, 1...14)
  func `the pieces in which a text arrives do not affect its lines`(
    _ sample: (text: String, lines: [String]), pieceLength: Int
  ) {
    #expect(lines(sample.text, pieceLength: pieceLength, maximum: 5) == sample.lines)
  }

  @Test func `a line that is too long is not kept in memory`() {
    var splitter = LineSplitter(maximumBytes: 1_000)
    for _ in 1...100 {
      splitter.append(repeatElement(UInt8(ascii: "a"), count: 1_000))
      #expect(splitter.next() == nil)
      #expect(splitter.waitingBytes <= 2_000)
    }
    splitter.append([UInt8(ascii: "\n")])
    #expect(splitter.next() == .tooLong(number: 1))
  }
}
