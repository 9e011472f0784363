import CivilTime
import Foundation
import JSON
import Testing

@testable import API

/// Two independent libraries read the calendar feed (rule H29).
@Suite(.timeLimit(.minutes(1))) struct CalendarReaderTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized.path
  private static let python = root + "/.build/tools/calendars/bin/python"
  private static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

  /// Texts with characters that are escaped, divided or joined, and lines of several lengths.
  private static let texts: [(title: String, body: String)] = [
    ("Größe; 30 mg, a\\b\\n \"x\": y", "One\nTwo\n\nFour"),
    ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} \u{2068}أخذته\u{2069} e\u{301} ;\u{301}", ""),
    (String(repeating: "ü\u{1F642}", count: 40), String(repeating: "a", count: 300)),
    (String(repeating: "a ", count: 66) + "b", String(repeating: " b", count: 67)),
  ]

  private static let feed = CalendarFeed(
    title: "Erinnerungen",
    entries: texts.enumerated().map { index, text in
      CalendarFeed.Entry(
        identifier: "entry_\(index)-x", start: Fixtures.now + .hours(index), title: text.title,
        body: text.body)
    })

  private func read(_ feed: CalendarFeed) async throws -> JSONValue {
    try await TemporaryDirectory.with { directory in
      let file = directory + "/feed.ics"
      try feed.text(at: Fixtures.now).write(toFile: file, atomically: true, encoding: .utf8)
      let process = Process()
      process.executableURL = URL(filePath: Self.python)
      process.arguments = ["-B", Self.root + "/Tests/APITests/calendar_readers.py", file]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      return try JSONParser.parse(Array(text))
    }
  }

  @Test(.enabled(if: isInstalled, "icalendar is missing; run `make test`, which fetches it"))
  func `H29: icalendar and vobject read every entry with its time and texts`() async throws {
    let expected = Self.feed.entries.map { entry -> JSONValue in
      [
        .string(entry.identifier), .string(entry.start.description.replacing(".000Z", with: "Z")),
        .string(entry.title), .string(entry.body),
      ]
    }
    let found = try await read(Self.feed)
    #expect(found["icalendar"] == .array(expected))
    #expect(found["vobject"] == .array(expected))
    let empty = try await read(CalendarFeed(title: "Reminders", entries: []))
    #expect(empty == ["icalendar": [], "vobject": []])
  }

  @Test func `H29: no line of a feed is longer than 75 octets`() throws {
    let lines = Self.feed.text(at: Fixtures.now).components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(lines.contains { $0.utf8.count == 75 })
    #expect(lines.first == "BEGIN:VCALENDAR" && lines.suffix(2) == ["END:VCALENDAR", ""])
  }

  @Test(arguments: [
    ("a;b,c\\d:\"e\"", #"a\;b\,c\\d:"e""#), ("a\nb\r\nc\rd", #"a\nb\nc\nd"#),
    ("a\tb\u{7}c\u{85}", "a b c "), (";\u{301}", "\\;\u{301}"),
  ])
  func `H29: texts are escaped`(text: String, escaped: String) {
    var lines = CalendarLines()
    lines.add("SUMMARY", text: text)
    #expect(lines.text == "SUMMARY:\(escaped)\r\n")
  }
}
