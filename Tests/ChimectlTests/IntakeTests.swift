import Glibc
import JSON
import Testing

@testable import chimectl

@Suite struct IntakeTests {
  private struct FileError: Error {}

  @Test func `results are counted and refusals printed`() throws {
    var tally = EventResultCounts()
    let first = try tally.add(
      [
        ["line": 1, "id": "e1", "status": "accepted"],
        [
          "line": 3, "id": "e2", "status": "refused",
          "problem": ["status": 400, "detail": "type is\u{7} missing"],
        ],
      ], from: 1)
    let second = try tally.add(
      [
        ["line": 1, "id": "e1", "status": "duplicate"],
        [
          "line": 2, "status": "refused",
          "problem": ["status": 400, "detail": "column 2: expected a value"],
        ],
      ], from: 11)
    #expect(first == "line 3, id e2: type is\\u0007 missing\n")
    #expect(second == "line 12: column 2: expected a value\n")
    #expect(tally.text == "accepted 1, duplicate 1, refused 2")
    #expect(tally.failure == .data)
  }

  /// In a fleet, each line is answered by the owner of its recipient.
  @Test(arguments: [429, 503, 507])
  func `H6: events that may be accepted later are a temporary failure`(status: Int64) throws {
    var tally = EventResultCounts()
    _ = try tally.add([["line": 1, "status": "accepted"]], from: 1)
    #expect(tally.failure == nil)
    let later: JSONValue = [
      "line": 1, "status": "refused", "problem": ["status": .integer(status), "detail": "later"],
    ]
    _ = try tally.add([later], from: 2)
    #expect(tally.failure == .temporary)
    let refused: JSONValue = [
      "line": 1, "status": "refused", "problem": ["status": 422, "detail": "no"],
    ]
    _ = try tally.add([refused], from: 3)
    #expect(tally.failure == .data)
  }

  @Test func `if the service stops early, the first line without a result is reported`() {
    var tally = EventResultCounts()
    let failure = #expect(throws: CommandError.self) {
      try tally.add(
        [
          ["line": 1, "status": "accepted"],
          ["line": 2, "status": "stopped", "problem": ["detail": "the disk is full"]],
        ], from: 100)
    }
    #expect(failure?.code == .temporary)
    #expect(
      failure?.message == "line 101 and later ones were not accepted: the disk is full "
        + "(before that: accepted 1, duplicate 0, refused 0)")
  }

  static let files: [(text: String, groups: [Int: String])] = [
    ("", [:]), ("a", [1: "a"]), ("a\nb\n", [1: "a\nb\n"]), ("a\n\nb", [1: "a\n\n", 3: "b"]),
  ]

  @Test(arguments: files)
  func `a file is read in whole lines`(text: String, groups: [Int: String]) throws {
    try withFile(text) { path in
      let groupsRead = try self.groups(of: LineSource(file: path))
      #expect(groupsRead == groups)
    }
  }

  @Test func `a large file is read in groups`() throws {
    let line = String(repeating: "a", count: 99_999) + "\n"
    try withFile(String(repeating: line, count: 20)) { path in
      let groups = try groups(of: LineSource(file: path))
      #expect(groups.count > 3)
      #expect(groups.values.allSatisfy { $0.hasSuffix("\n") })
      #expect(groups.sorted { $0.key < $1.key }.map(\.value).joined().utf8.count == 2_000_000)
    }
  }

  @Test func `a line that is too long is refused`() throws {
    try withFile(String(repeating: "a", count: 1 << 21)) { path in
      let failure = #expect(throws: CommandError.self) {
        try LineSource(file: path, hint: "h").next()
      }
      #expect(failure?.message == "line 1 of \(path) is longer than 1048576 bytes")
      #expect(failure?.hint == "h")
      #expect(failure?.code == .data)
    }
  }

  @Test func `lines of a pipe are passed on at once`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let source = try LineSource(file: "/dev/fd/\(ends[0])")
    for number in 1...3 {
      _ = write(ends[1], "\(number)\n", 2)
      let group = try source.next()
      #expect(group?.firstLine == number)
      #expect(group?.bytes == Array("\(number)\n".utf8))
    }
    close(ends[1])
    #expect(try source.next() == nil)
  }

  @Test(arguments: ["/tmp/chimed-test-none", "/tmp"])
  func `an unreadable file is a failure`(path: String) {
    let failure = #expect(throws: CommandError.self) { try LineSource(file: path).next() }
    #expect(failure?.code == .noInput)
    #expect(failure?.message.hasPrefix("\(path) cannot be read: ") == true)
  }

  /// The groups of a source by the number of their first line.
  private func groups(of source: LineSource) throws -> [Int: String] {
    var groups: [Int: String] = [:]
    while let group = try source.next() {
      groups[group.firstLine] = String(decoding: group.bytes, as: UTF8.self)
    }
    return groups
  }

  /// Passes the path of a temporary file with a text to `body`.
  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    var template = Array("/tmp/chimed-test-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw FileError() }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let count = Array(text.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    guard count == text.utf8.count else { throw FileError() }
    close(file)
    try body(path)
  }
}
