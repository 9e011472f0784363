import CivilTime
import Foundation
import Testing

/// Rule G26: the calendars, compared with Python packages by Calendars/generate_calendars.py.
@Suite struct CalendarSystemTests {
  /// The months of Umm al-Qura at whose beginning or end the packages `hijridate` and `ummalqura`
  /// differ; the published calendar has those of `hijridate`.
  private static let disputedYears = [1_427, 1_446, 1_485]

  @Test func `G26: years begin, and their months last, as other programs compute`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Calendars/calendars.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 575)
    var mismatches = Mismatches()
    for line in lines {
      let fields = line.split(separator: " ").map(String.init)
      let calendar = try #require(CalendarSystem(rawValue: fields[0]))
      let (year, date) = (try #require(Int(fields[1])), try #require(LocalDate(fields[2])))
      mismatches.compare(
        calendar.day(of: date), CalendarSystem.Day(year: year, month: 1, day: 1), "\(line)")
      guard calendar != .umalqura || !Self.disputedYears.contains(year) else { continue }
      let lengths = (1...fields[3].count).map { calendar.lengthOfMonth($0, ofYear: year) }
      let digits = lengths.map { $0 == 0 ? "-" : $0 >= 30 ? "1" : "0" }.joined()
      mismatches.compare(digits, fields[3], "\(line)")
    }
    #expect(mismatches.count == 0, "\(mismatches)")
  }

  @Test(arguments: [
    ("2006-06-27", 1_427, 6, 1), ("2024-12-02", 1_446, 6, 1), ("2063-01-30", 1_485, 10, 1),
  ])
  func `G26: disputed months of Umm al-Qura begin as published`(
    date: String, year: Int, month: Int, day: Int
  ) throws {
    let date = try #require(LocalDate(date))
    let expected = CalendarSystem.Day(year: year, month: month, day: day)
    #expect(CalendarSystem.umalqura.day(of: date) == expected)
  }

  @Test(arguments: CalendarSystem.allCases)
  func `G26: each date is the day after the previous one`(calendar: CalendarSystem) throws {
    let start = try #require(LocalDate("1700-01-01"))
    let end = try #require(LocalDate("2300-01-01"))
    let known = calendar.knownDates
    var date = max(known.lowerBound, start)
    var previous = try #require(calendar.day(of: date))
    var mismatches = Mismatches()
    while date < min(known.upperBound, end) {
      date = date + 1
      let day = try #require(calendar.day(of: date))
      let isNext = day.month == previous.month && day.day == previous.day + 1
      let length = calendar.lengthOfMonth(previous.month, ofYear: previous.year)
      mismatches.compare(isNext || day.day == 1 && previous.day == length, true, "\(date)")
      previous = day
    }
    #expect(mismatches.count == 0, "\(mismatches)")
  }

  @Test(arguments: [
    (CalendarSystem.umalqura, "1945-12-05", "2077-11-16"), (.persian, "1799-03-21", "2255-03-20"),
    (.hebrew, "0001-01-01", "9999-12-31"),
  ])
  func `G26: a calendar knows the dates of its range alone`(
    calendar: CalendarSystem, first: String, last: String
  ) {
    let known = calendar.knownDates
    #expect(["\(known.lowerBound)", "\(known.upperBound)"] == [first, last])
    #expect(calendar.day(of: known.lowerBound - 1) == nil)
    #expect(calendar.day(of: known.upperBound + 1) == nil)
    #expect(calendar.day(of: known.upperBound) != nil)
  }
}
