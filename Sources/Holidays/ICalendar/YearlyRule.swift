internal import CivilTime

/// A rule that repeats an event every year or every few years (RFC 5545, section 3.3.10).
struct YearlyRule {
  /// A weekday of a rule: "MO" is every Monday, "4TH" the fourth Thursday and "-1MO" the last
  /// Monday. The weekdays are counted within each month or, in a rule without months, within the
  /// year.
  struct Day: Hashable {
    /// The number in -53...53 without 0, where 1 is the first and -1 the last; nil for all.
    let ordinal: Int?
    let weekday: Weekday
  }

  /// The number of years from one repetition to the next, at least 1.
  var interval = 1
  /// The number of repetitions, at least 1; nil for no limit.
  var count: Int?
  /// The last instant or date on which a repetition may begin; nil for no limit.
  var until: DateValue?
  /// Unique numbers in 1...12. Without months, `monthDays` apply to every month and `days` to the
  /// whole year; a rule without any days has the month of its start.
  var months: [Int] = []
  /// Unique numbers in -31...31 without 0, where -1 is the month's last day.
  var monthDays: [Int] = []
  /// The days of the week. If there are `monthDays`, these days have no ordinals.
  var days: Set<Day> = []

  /// Returns the dates in a year, sorted. A rule without days has the day of its start. A date that
  /// does not exist in the year, such as 29 February, is skipped.
  func dates(in year: Int, start: LocalDate) -> [LocalDate] {
    let candidates =
      if !monthDays.isEmpty {
        datesByMonthDay(in: year)
      } else if !days.isEmpty {
        datesByWeekday(in: year)
      } else {
        (months.isEmpty ? [start.month] : months).compactMap {
          LocalDate(year: year, month: $0, day: start.day)
        }
      }
    return candidates.sortedWithoutRepetition()
  }

  private func datesByMonthDay(in year: Int) -> [LocalDate] {
    let spans = (months.isEmpty ? Array(1...12) : months).compactMap {
      DateSpan(month: $0, of: year)
    }
    let candidates = spans.flatMap { span in monthDays.compactMap(span.date) }
    guard !days.isEmpty else { return candidates }
    return candidates.filter { date in days.contains { $0.weekday == date.weekday } }
  }

  private func datesByWeekday(in year: Int) -> [LocalDate] {
    let spans =
      months.isEmpty ? [DateSpan(year: year)] : months.map { DateSpan(month: $0, of: year) }
    return spans.compactMap(\.self).flatMap { span in
      days.flatMap { span.dates(of: $0.weekday, $0.ordinal) }
    }
  }
}

extension YearlyRule {
  /// Reads an RRULE, such as "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH".
  init(of line: ContentLine) throws(HolidaySyntaxError) {
    var seen: Set<String> = []
    for part in line.trimmedText.uppercased().split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard sides.count == 2 else {
        throw Self.flaw("its part \(Self.quoted(String(part))) has no value")
      }
      guard seen.insert(sides[0]).inserted else {
        throw Self.flaw("\(Self.quoted(sides[0])) is given twice")
      }
      try read(sides[0], sides[1])
    }
    guard seen.contains("FREQ") else { throw Self.flaw("FREQ=YEARLY is missing") }
    guard count == nil || until == nil else { throw Self.flaw("it has both COUNT and UNTIL") }
    guard monthDays.isEmpty || days.allSatisfy({ $0.ordinal == nil }) else {
      throw Self.flaw("days with a number, such as 1MO, cannot be combined with BYMONTHDAY")
    }
  }

  private mutating func read(_ name: String, _ value: String) throws(HolidaySyntaxError) {
    switch name {
    case "FREQ":
      guard value == "YEARLY" else {
        throw Self.flaw("FREQ=\(Self.quoted(value)) is not understood, only FREQ=YEARLY")
      }
    case "INTERVAL": interval = try Self.number(value, in: 1...9_999, of: name)
    case "COUNT": count = try Self.number(value, in: 1...99_999, of: name)
    case "UNTIL":
      guard let date = DateValue(Array(value.utf8)[...]) else {
        throw Self.flaw("UNTIL=\(Self.quoted(value)) is not a date; write it like 20351231")
      }
      until = date
    case "BYMONTH": months = try Self.numbers(value, in: 1...12, of: name)
    case "BYMONTHDAY": monthDays = try Self.numbers(value, in: -31...31, of: name)
    case "BYDAY": days = try Self.days(value)
    // The start of the week matters only for FREQ=WEEKLY and BYWEEKNO.
    case "WKST": _ = try Self.days(value)
    default: throw Self.flaw("its part \(Self.quoted(name)) is not understood")
    }
  }

  private static func numbers(
    _ list: String, in range: ClosedRange<Int>, of name: String
  ) throws(HolidaySyntaxError) -> [Int] {
    var numbers: Set<Int> = []
    for text in list.split(separator: ",", omittingEmptySubsequences: false) {
      numbers.insert(try number(String(text), in: range, of: name))
    }
    return numbers.sorted()
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, of name: String
  ) throws(HolidaySyntaxError) -> Int {
    guard let number = Int(text), range.contains(number), number != 0 else {
      let exception = range.contains(0) ? " but not 0" : ""
      throw flaw(
        "\(name)=\(quoted(text)) is not a number from \(range.lowerBound) to \(range.upperBound)"
          + exception)
    }
    return number
  }

  private static func days(_ list: String) throws(HolidaySyntaxError) -> Set<Day> {
    var days: Set<Day> = []
    for text in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard let weekday = Weekday(iCalendar: String(text.suffix(2))) else {
        throw flaw(
          "\(quoted(String(text))) is not a day of the week; use MO, TU, WE, TH, FR, SA or SU")
      }
      let digits = String(text.dropLast(2))
      let ordinal = digits.isEmpty ? nil : try number(digits, in: -53...53, of: "BYDAY")
      days.insert(Day(ordinal: ordinal, weekday: weekday))
    }
    return days
  }

  private static func quoted(_ text: String) -> String { NameRefusal.quoted(text) }

  private static func flaw(_ problem: String) -> HolidaySyntaxError {
    HolidaySyntaxError(
      "the RRULE cannot be followed: \(problem); list the dates with RDATE;VALUE=DATE instead")
  }
}

extension Weekday {
  /// Parses "MO" to "SU", in capitals; nil for any other text.
  init?(iCalendar name: String) {
    guard
      let day = Self.allCases.first(where: { $0.name.prefix(2).uppercased() == name })
    else { return nil }
    self = day
  }
}
