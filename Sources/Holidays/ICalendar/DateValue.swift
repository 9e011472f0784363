package import CivilTime

/// A date, or a date and time, of an iCalendar property: "20260101" or "20260101T080000", with a
/// final "Z" for UTC.
package struct DateValue: Hashable {
  package let date: LocalDate
  /// The time in seconds, in 0..<86400; nil for a date without a time.
  package let secondOfDay: Int?
  package let isUTC: Bool

  var isDateAlone: Bool { secondOfDay == nil }

  /// Seconds since 1970-01-01 00:00 in the value's own time zone.
  var seconds: Int { Int(date.daysSinceEpoch) * 86_400 + (secondOfDay ?? 0) }

  package init?(_ text: ArraySlice<UInt8>) {
    let field = { (offset: Int, length: Int) in
      Self.number(text.dropFirst(offset).prefix(length))
    }
    guard [8, 15, 16].contains(text.count), let year = field(0, 4), let month = field(4, 2),
      let day = field(6, 2), let date = LocalDate(year: year, month: month, day: day)
    else { return nil }
    self.date = date
    isUTC = text.count == 16
    guard text.count > 8 else {
      secondOfDay = nil
      return
    }
    guard text.dropFirst(8).first == UInt8(ascii: "T"), !isUTC || text.last == UInt8(ascii: "Z"),
      let hour = field(9, 2), let minute = field(11, 2), let second = field(13, 2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    secondOfDay = hour * 3_600 + minute * 60 + min(second, 59)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }
}

extension DateValue {
  /// Reads the value of a property: a local date, or a local date and time. A time in UTC must be
  /// midnight, which is how some programs write a date.
  init(of line: ContentLine) throws(HolidaySyntaxError) {
    try self.init(line.trimmedValue, of: line)
  }

  /// Reads the dates of a property that lists several, separated by commas.
  static func dates(of line: ContentLine) throws(HolidaySyntaxError) -> [LocalDate] {
    var dates: [LocalDate] = []
    for part in line.listValues { dates.append(try DateValue(part, of: line).date) }
    return dates
  }

  private init(_ text: ArraySlice<UInt8>, of line: ContentLine) throws(HolidaySyntaxError) {
    let name = line.name
    let kind = line.parameter("VALUE")?.uppercased() ?? ""
    guard ["", "DATE", "DATE-TIME"].contains(kind) else {
      let quoted = NameRefusal.quoted(kind)
      throw HolidaySyntaxError(
        "\(name) with VALUE=\(quoted) is not understood; give dates, one for each day")
    }
    guard let value = DateValue(text), kind.isEmpty || (kind == "DATE") == value.isDateAlone else {
      let form = kind == "DATE-TIME" ? "a date and time such as 20260101T000000" : Self.example
      let quoted = NameRefusal.quoted(String(decoding: text, as: UTF8.self))
      throw HolidaySyntaxError("\(name) must be \(form); it is \(quoted)")
    }
    guard !value.isUTC || value.secondOfDay == 0 else {
      let word = String(decoding: text, as: UTF8.self)
      throw HolidaySyntaxError(
        "\(name) \(word) is a time in UTC, which can be another date where people live; "
          + "write the date itself: \(name);VALUE=DATE:\(word.prefix(8))")
    }
    self = value
  }

  private static let example = "a date that exists, such as 20260101"
}

/// The dates of a month or a year, counted from either end: 1 is the first, -1 the last.
struct DateSpan {
  private let first: LocalDate
  private let count: Int

  /// Returns nil unless the month is in 1...12 and the year in 1...9998.
  init?(month: Int, of year: Int) {
    let isDecember = month == 12
    self.init(
      from: LocalDate(year: year, month: month, day: 1),
      to: LocalDate(year: isDecember ? year + 1 : year, month: isDecember ? 1 : month + 1, day: 1))
  }

  /// Returns nil unless the year is in 1...9998.
  init?(year: Int) {
    self.init(
      from: LocalDate(year: year, month: 1, day: 1),
      to: LocalDate(year: year + 1, month: 1, day: 1))
  }

  private init?(from first: LocalDate?, to end: LocalDate?) {
    guard let first, let end else { return nil }
    self.first = first
    count = end - first
  }

  /// Returns the date with this ordinal, such as 1 or -1; nil if the span has fewer dates.
  func date(_ ordinal: Int) -> LocalDate? {
    let offset = ordinal > 0 ? ordinal - 1 : count + ordinal
    return (0..<count).contains(offset) ? first + offset : nil
  }

  /// Returns the dates on a `weekday`, or only the `ordinal`-th of these dates.
  func dates(of weekday: Weekday, _ ordinal: Int?) -> [LocalDate] {
    let offset = (weekday.rawValue - first.weekday.rawValue + 7) % 7
    let weeks = (count - offset + 6) / 7
    guard let ordinal else { return (0..<weeks).map { first + (offset + 7 * $0) } }
    let week = ordinal > 0 ? ordinal - 1 : weeks + ordinal
    return (0..<weeks).contains(week) ? [first + (offset + 7 * week)] : []
  }
}
