import CivilTime
import Holidays
import Testing

/// RFC 5545, section 3.1: content lines and their parts.
@Suite struct ContentLineTests {
  private static let event = ["BEGIN:VEVENT", "DTSTART;VALUE=DATE:20260501"]

  /// Returns the name of the holiday of an event with the given lines.
  private func name(_ lines: String...) throws -> String? {
    let text = Samples.calendar(lines: Self.event + lines + ["END:VEVENT"])
    return try Samples.read(text).name(of: Samples.date("2026-05-01"))
  }

  @Test(arguments: ["\n", "\r\n"], [" ", "\t"])
  func `folded lines are unfolded`(lineEnd: String, indent: String) throws {
    let text =
      "BEGIN:VCAL,ENDAR,,BEGIN:VEVENT,DTSTART;VAL,UE=DATE:2026,0501,SUMMARY:Labor, Day,"
      + "END:VEVENT,END:VCALENDAR"
    let folded = text.split(separator: ",", omittingEmptySubsequences: false)
    let isContinuation: Set = ["ENDAR", "UE=DATE:2026", "0501", " Day"]
    let lines = folded.map { (isContinuation.contains(String($0)) ? indent : "") + $0 + lineEnd }
    let calendar = try Samples.read(lines.joined())
    #expect(calendar.dates.map(\.description) == ["2026-05-01"])
    #expect(try calendar.name(of: Samples.date("2026-05-01")) == "Labor Day")
  }

  @Test func `a fold may split a character`() throws {
    let name = "Día 🎄"
    for count in 0...name.utf8.count {
      let bytes =
        Array("SUMMARY:".utf8) + name.utf8.prefix(count) + Array("\r\n ".utf8)
        + name.utf8.dropFirst(count) + Array("\r\n".utf8)
      let start = Array("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260501\r\n".utf8)
      let content = start + bytes + Array("END:VEVENT\r\nEND:VCALENDAR".utf8)
      let file = CalendarFile(path: "XX.ics", content: content)
      let calendar = try HolidayDatabase(files: [file]).calendar(of: "XX")
      #expect(try calendar.name(of: Samples.date("2026-05-01")) == name)
    }
  }

  @Test func `an error names the line of the file, not the line after unfolding`() {
    let lines = ["BEGIN:VEVENT", "SUMMARY:Lab", " or ", "", "DTSTART:2026", " 0230", "END:VEVENT"]
    let complaints = Samples.complaints(Samples.calendar(lines: lines))
    #expect(complaints.count == 1)
    #expect(complaints.first?.hasPrefix("7: DTSTART must be a date that exists") == true)
  }

  @Test func `a byte order mark and a missing final newline are accepted`() throws {
    let text = "\u{FEFF}BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260501\nEND:VEVENT\nEND:VCALENDAR"
    #expect(try Samples.read(text).dates.count == 1)
  }

  @Test func `names are case-insensitive`() throws {
    let text =
      "begin:vcalendar\nBegin:VEvent\ndtstart;value=date:20260501\nrrule:freq=yearly;count=2"
      + "\nend:vevent\nend:vcalendar\n"
    #expect(try Samples.read(text).dates.count == 2)
  }

  @Test(arguments: [
    ("SUMMARY:Labour Day", "Labour Day"),
    (#"SUMMARY:Peter\, Paul\; and \\ all"#, #"Peter, Paul; and \ all"#),
    (#"SUMMARY:One\nTwo\NThree"#, "One Two Three"),
    ("SUMMARY:  One \t Two  ", "One Two"),
    (#"SUMMARY:10\% \"#, #"10\% \"#),
    ("SUMMARY;LANGUAGE=en:Time: now; or never, then", "Time: now; or never, then"),
    (#"SUMMARY;X-A="a;b:c,d";X-B=e,"f:g",h:Quoted"#, "Quoted"),
    ("SUMMARY;X-A=:Empty", "Empty"),
    ("SUMMARY:Allerheiligen – Tous­saint", "Allerheiligen – Tous­saint"),
    ("SUMMARY:", "Holiday"), ("X-OTHER:a", "Holiday"),
  ])
  func `text values are unescaped`(line: String, expected: String) throws {
    #expect(try name(line) == expected)
  }

  @Test(arguments: [
    ("SUMMARY", "is not a property"), ("nonsense", "is not a property"),
    (":value", "is not a property"), ("SUM MARY:a", "is not a property"),
    ("SUMMARY;LANGUAGE:en", "has no value"), ("SUMMARY;=en:a", "has no value"),
    (#"SUMMARY;X="a:b"#, "is not closed"), ("SUMMARY;X=a", "no colon"),
    (#"SUMMARY;X="a"b:c"#, "no colon"), ("SUMMARY:a\u{7}b", "control character (code 7)"),
    ("SUMMARY:a\u{9B}2J", "control character (code 155)"), ("SUMMARY:a\rb", "(code 13)"),
    ("SUMMARY:" + String(repeating: "x", count: 256), "256 bytes; at most 255 are allowed"),
  ])
  func `a malformed line is rejected with its line number`(line: String, message: String) {
    let complaints = Samples.complaints(Samples.calendar(lines: Self.event + [line, "END:VEVENT"]))
    #expect(complaints.count == 1)
    #expect(complaints.first?.hasPrefix("5: ") == true && complaints[0].contains(message))
  }

  @Test func `text that is not UTF-8 is rejected`() {
    let content =
      Array("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260501\nSUMMARY:a".utf8)
      + [0xE9, 0x0A] + Array("END:VEVENT\nEND:VCALENDAR\n".utf8)
    #expect(
      Samples.complaints(content) == ["4: SUMMARY is not UTF-8; save the file in that encoding"])
  }
}
