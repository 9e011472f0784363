/// A day of the proleptic Gregorian calendar, without a time zone.
package struct LocalDate: Hashable, Sendable {
  /// Days since 1970-01-01.
  package let daysSinceEpoch: Int32

  /// Creates the date `daysSinceEpoch` days after 1970-01-01. The number is clamped to 32 bits (5.8
  /// million years).
  package init(daysSinceEpoch: Int) {
    self.daysSinceEpoch = Int32(clamping: daysSinceEpoch)
  }

  /// Returns nil unless the date exists and its year is in 1...9999.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9_999).contains(year), (1...12).contains(month),
      day >= 1, day <= GregorianCalendar.lengthOfMonth(month, of: year)
    else { return nil }
    self.init(daysSinceEpoch: GregorianCalendar.days(year: year, month: month, day: day))
  }

  package var year: Int { yearMonthDay.year }
  package var month: Int { yearMonthDay.month }
  package var day: Int { yearMonthDay.day }

  /// The year, month and day, whose computation takes about 10 ns.
  package var yearMonthDay: (year: Int, month: Int, day: Int) {
    GregorianCalendar.date(ofDay: Int(daysSinceEpoch))
  }

  package var weekday: Weekday {
    // 1970-01-01 was a Thursday, three days after a Monday.
    let shifted = Int(daysSinceEpoch) + 3
    let sinceMonday = shifted - GregorianCalendar.floored(shifted, by: 7) * 7
    return Weekday.allCases[sinceMonday]
  }

  /// An instant at which the date has ended in every zone. No zone was ever more than 16 hours
  /// behind UTC.
  package var endInEveryZone: Instant {
    Instant(milliseconds: (Int64(daysSinceEpoch) + 2) * 86_400_000)
  }

  package static func + (date: LocalDate, days: Int) -> LocalDate {
    LocalDate(daysSinceEpoch: Int(date.daysSinceEpoch) + Int(Int32(clamping: days)))
  }

  package static func - (date: LocalDate, days: Int) -> LocalDate {
    LocalDate(daysSinceEpoch: Int(date.daysSinceEpoch) - Int(Int32(clamping: days)))
  }

  /// Returns the number of days from `earlier` to `later`.
  package static func - (later: LocalDate, earlier: LocalDate) -> Int {
    Int(later.daysSinceEpoch) - Int(earlier.daysSinceEpoch)
  }
}

extension LocalDate: Comparable {
  package static func < (left: LocalDate, right: LocalDate) -> Bool {
    left.daysSinceEpoch < right.daysSinceEpoch
  }
}

extension LocalDate: LosslessStringConvertible {
  /// Parses "yyyy-MM-dd"; returns nil if the date does not exist.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Digits.number(bytes[0..<4]), let month = Digits.number(bytes[5..<7]),
      let day = Digits.number(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// "yyyy-MM-dd".
  package var description: String {
    let (year, month, day) = yearMonthDay
    return Digits.padded(year, to: 4) + "-" + Digits.padded(month, to: 2) + "-"
      + Digits.padded(day, to: 2)
  }
}

/// The proleptic Gregorian calendar, as arithmetic on days since 1970-01-01. Years begin in March,
/// so that the leap day is the last of its year. Then 400 years (an era) have 146097 days, and the
/// months' lengths follow the line (153 m + 2) / 5. The method is from Howard Hinnant's
/// "chrono-Compatible Low-Level Date Algorithms".
enum GregorianCalendar {
  /// Days from 0000-03-01 to 1970-01-01.
  private static let marchEpoch = 719_468

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// Returns the number of days of a month, 28...31. `month` is in 1...12.
  static func lengthOfMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the day number of an existing date.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let era = floored(marchYear, by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - marchEpoch
  }

  /// Returns the date of a day number.
  static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + marchEpoch
    let era = floored(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    // Subtract the leap days (every 4 and 400 years, not every 100) before dividing by 365.
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Returns the quotient rounded towards minus infinity. The divisor must be positive.
  static func floored(_ dividend: Int, by divisor: Int) -> Int {
    dividend >= 0 ? dividend / divisor : (dividend + 1) / divisor - 1
  }
}

/// A day of the week, numbered as in ISO 8601: Monday is 1.
package enum Weekday: Int, CaseIterable, Hashable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// "mon", "tue", "wed", "thu", "fri", "sat" or "sun".
  package var name: String {
    switch self {
    case .monday: "mon"
    case .tuesday: "tue"
    case .wednesday: "wed"
    case .thursday: "thu"
    case .friday: "fri"
    case .saturday: "sat"
    case .sunday: "sun"
    }
  }

  /// Returns nil unless `name` is exactly the ``name`` of a day.
  package init?(name: String) {
    guard let day = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = day
  }
}

extension Weekday: CustomStringConvertible {
  package var description: String { name }
}
