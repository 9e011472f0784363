import CivilTime
import Holidays
import Testing

/// iCalendar files for tests, and their parsed contents.
enum Samples {
  /// Returns a calendar with one event that has the given lines.
  static func calendar(event lines: String...) -> String {
    calendar(lines: ["BEGIN:VEVENT"] + lines + ["END:VEVENT"])
  }

  /// Returns a calendar with the given lines between its first and last ones.
  static func calendar(lines: [String]) -> String {
    (["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
  }

  static func file(_ text: String, path: String = "XX.ics") -> CalendarFile {
    CalendarFile(path: path, content: Array(text.utf8))
  }

  /// Returns the calendar of region XX, read from one file.
  static func read(_ text: String) throws -> HolidayCalendar {
    try HolidayDatabase(files: [file(text)]).calendar(of: "XX")
  }

  /// Returns the dates of an event that has the given lines, as "2026-01-01 2027-01-01".
  static func dates(_ lines: String...) throws -> String {
    let text = calendar(lines: ["BEGIN:VEVENT"] + lines + ["END:VEVENT"])
    return try read(text).dates.map(\.description).joined(separator: " ")
  }

  /// Returns the diagnostics of a file, as "3: message".
  static func complaints(_ text: String) -> [String] {
    complaints(Array(text.utf8))
  }

  static func complaints(_ content: [UInt8]) -> [String] {
    let file = CalendarFile(path: "XX.ics", content: content)
    let error = #expect(throws: HolidayErrors.self) { try HolidayDatabase(files: [file]) }
    return error?.diagnostics.map { "\($0.line): \($0.message)" } ?? []
  }

  static func date(_ text: String) throws -> LocalDate {
    try #require(LocalDate(text))
  }
}
