import CivilTime
import Testing

@Suite struct CalendarTests {
  /// Counts the days of the years 1 to 9999 by the rules of the calendar, and compares some of the
  /// days with `LocalDate`.
  @Test func `days from year 1 to 9999 have the right date and weekday`() throws {
    var days = -719_162
    var weekday = 0
    var mismatches = Mismatches()
    for year in 1...9_999 {
      let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (index, length) in lengths.enumerated() {
        // All days of every 97th year, and the first and last days of all months.
        let sampleDays = year % 97 == 0 ? Array(1...length) : [1, length]
        for day in sampleDays {
          let number = days + day - 1
          let date = LocalDate(daysSinceEpoch: number)
          let dateFromParts = LocalDate(year: year, month: index + 1, day: day)
          mismatches.compare(dateFromParts, date, "\(year)-\(index + 1)-\(day)")
          let (dateYear, dateMonth, dateDay) = date.yearMonthDay
          mismatches.compare([dateYear, dateMonth, dateDay], [year, index + 1, day], "\(number)")
          // 0001-01-01 was a Monday.
          mismatches.compare(date.weekday.rawValue - 1, (weekday + day - 1) % 7, "\(date)")
        }
        mismatches.compare(
          LocalDate(year: year, month: index + 1, day: length + 1), nil, "\(year) \(index)")
        days += length
        weekday = (weekday + length) % 7
      }
    }
    #expect(days == 2_932_897)
    #expect(mismatches.count == 0, "\(mismatches)")
  }

  @Test(arguments: [
    ("1970-01-01", 0, Weekday.thursday), ("2026-03-10", 20_522, .tuesday),
    ("2000-02-29", 11_016, .tuesday), ("0001-01-01", -719_162, .monday),
    ("9999-12-31", 2_932_896, .friday),
  ])
  func `dates are parsed and formatted, and have the right weekday`(
    text: String, days: Int, weekday: Weekday
  ) throws {
    let date = try #require(LocalDate(text))
    #expect(date == LocalDate(daysSinceEpoch: days))
    #expect(date.description == text)
    #expect(date.weekday == weekday)
    #expect(
      [date.year, date.month, date.day].map(String.init)
        == text.split(separator: "-").map {
          String(Int($0) ?? -1)
        })
  }

  @Test(arguments: [
    "", "2026", "2026-3-10", "2026-03-1", "2026-03-100", "20260310", "2026/03/10", "0000-01-01",
    "2026-02-29", "1900-02-29", "2026-00-10", "2026-13-10", "2026-03-00", "2026-04-31",
    "-026-03-10", "+026-03-10", "2026-03-1 ", " 026-03-10", "2026-03-10Z", "12026-03-10",
  ])
  func `an invalid date is rejected`(text: String) {
    #expect(LocalDate(text) == nil)
  }

  @Test func `days are added and subtracted, and saturate`() throws {
    let date = try #require(LocalDate("2024-02-28"))
    #expect((date + 1).description == "2024-02-29")
    #expect((date + 2).description == "2024-03-01")
    #expect((date - 59).description == "2023-12-31")
    #expect((date + 366) - date == 366)
    #expect(date < date + 1)
    let last = LocalDate(daysSinceEpoch: Int(Int32.max))
    #expect(LocalDate(daysSinceEpoch: .max) == last)
    #expect(date + .max == last && last + .max == last)
    #expect(LocalDate(daysSinceEpoch: .min) - .max == LocalDate(daysSinceEpoch: .min))
    #expect(LocalDate(year: 10_000, month: 1, day: 1) == nil)
  }

  @Test func `every minute of the day is a local time`() throws {
    for minute in 0..<1_440 {
      let time = try #require(LocalTime(minuteOfDay: minute))
      #expect(LocalTime(time.description) == time)
      #expect(LocalTime(hour: time.hour, minute: time.minute) == time)
      #expect(time.hour * 60 + time.minute == minute)
    }
    #expect(LocalTime("09:05")?.minuteOfDay == 545)
    #expect(LocalTime("09:05")?.description == "09:05")
    #expect(LocalTime(minuteOfDay: 1_440) == nil)
    #expect(LocalTime(minuteOfDay: -1) == nil)
  }

  @Test(arguments: [
    "", "9:00", "09:0", "09:000", "24:00", "23:60", "0900", "09-00", "09:00:00", " 9:00", "+9:00",
    "09:00 ", "ab:cd", "９:00",
  ])
  func `an invalid time is rejected`(text: String) {
    #expect(LocalTime(text) == nil)
  }

  @Test func `weekdays have names and ISO numbers`() {
    #expect(Weekday.allCases.map(\.name) == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
    #expect(Weekday.allCases.map(\.rawValue) == Array(1...7))
    for day in Weekday.allCases {
      #expect(Weekday(name: day.name) == day)
    }
    #expect(Weekday(name: "Mon") == nil)
    #expect(Weekday(name: "monday") == nil)
  }

  @Test func `local date-times are formatted and ordered`() throws {
    let date = try #require(LocalDate("2026-03-02"))
    let evening = LocalDateTime(date: date, secondOfDay: 75_600)
    #expect(evening.description == "2026-03-02 21:00")
    #expect(evening.time == LocalTime("21:00"))
    let later = LocalDateTime(date: date, secondOfDay: 75_605)
    #expect(later.description == "2026-03-02 21:00:05")
    #expect(evening < later)
    #expect(later < LocalDateTime(date: date + 1, secondOfDay: 0))
  }
}
