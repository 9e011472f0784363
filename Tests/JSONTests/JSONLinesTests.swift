import JSON
import Testing

@Suite struct JSONLinesTests {
  @Test(arguments: [
    ("", []), ("\n", []), ("\r\n \t \n", []), ("1", ["1:1"]), ("1\n", ["1:1"]),
    ("1\n2", ["1:1", "2:2"]), ("1\r\n2\r\n", ["1:1", "2:2"]), ("\n\n1\n\n 2 \n", ["3:1", "5: 2 "]),
    ("{\"a\":\"\\n\"}\r\n[]", ["1:{\"a\":\"\\n\"}", "2:[]"]), ("1\r", ["1:1"]),
    ("a\rb\n", ["1:a\rb"]), ("é\n€", ["1:é", "2:€"]),
  ])
  func `lines are numbered, and blank lines are skipped`(text: String, lines: [String]) {
    Array(text.utf8).withUnsafeBytes { bytes in
      let numberedLines = JSONLines(bytes).map { line in
        "\(line.number):" + String(decoding: bytes[line.range], as: UTF8.self)
      }
      #expect(numberedLines == lines)
    }
  }
}
