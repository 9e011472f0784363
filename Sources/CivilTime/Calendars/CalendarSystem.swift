/// A calendar other than the Gregorian one. The raw values are the names of the Unicode CLDR.
package enum CalendarSystem: String, CaseIterable, Sendable {
  /// The calendar of Umm al-Qura, by the published table.
  case umalqura = "islamic-umalqura"
  /// The Persian calendar, by the rule of 33 years, which gives the published leap years of 1277
  /// to 1502.
  case persian
  /// The Hebrew calendar.
  case hebrew

  /// A day of the calendar. The months of the Hebrew calendar are numbered from Tishri, as in the
  /// CLDR: 6 is Adar I, which only leap years have, and 7 is Adar or Adar II.
  package struct Day: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    package init(year: Int, month: Int, day: Int) {
      (self.year, self.month, self.day) = (year, month, day)
    }
  }

  /// The dates whose days in the calendar are known.
  package var knownDates: ClosedRange<LocalDate> {
    switch self {
    case .umalqura: dates(ofYears: UmalquraMonths.firstYear...UmalquraMonths.lastYear)
    case .persian: dates(ofYears: 1_178...1_633)
    // The Gregorian years from 1 to 9999.
    case .hebrew:
      LocalDate(daysSinceEpoch: -719_162)...LocalDate(daysSinceEpoch: 2_932_896)
    }
  }

  private func dates(ofYears years: ClosedRange<Int>) -> ClosedRange<LocalDate> {
    let (first, last) = (start(ofYear: years.lowerBound), start(ofYear: years.upperBound + 1) - 1)
    return LocalDate(daysSinceEpoch: first)...LocalDate(daysSinceEpoch: last)
  }

  /// The number of months of the longest year.
  package var monthMax: Int { self == .hebrew ? 13 : 12 }

  /// Returns the day of the calendar on a date; nil outside `knownDates`.
  package func day(of date: LocalDate) -> Day? {
    guard knownDates.contains(date) else { return nil }
    let number = Int(date.daysSinceEpoch)
    var year = earliestYear(ofDay: number)
    while start(ofYear: year + 1) <= number { year += 1 }
    var rest = number - start(ofYear: year)
    for (index, length) in lengthsOfMonths(ofYear: year).enumerated() {
      if rest < length { return Day(year: year, month: index + 1, day: rest + 1) }
      rest -= length
    }
    return nil
  }

  /// Returns whether a Hebrew year has the month Adar I.
  package func isHebrewLeap(_ year: Int) -> Bool { self == .hebrew && (7 * year + 1) % 19 < 7 }

  /// Returns the number of days of a month; 0 if the year lacks the month. The year must be known.
  package func lengthOfMonth(_ month: Int, ofYear year: Int) -> Int {
    let lengths = lengthsOfMonths(ofYear: year)
    return (1...lengths.count).contains(month) ? lengths[month - 1] : 0
  }

  // MARK: - Years

  /// Returns the first day of a year, in days since 1970-01-01.
  private func start(ofYear year: Int) -> Int {
    switch self {
    case .umalqura: Int(UmalquraMonths.starts[12 * (year - UmalquraMonths.firstYear)])
    case .persian: PersianYears.start(ofYear: year)
    case .hebrew: HebrewYears.start(ofYear: year)
    }
  }

  /// Returns a known year that begins at most three years before a day, and not after it.
  private func earliestYear(ofDay day: Int) -> Int {
    switch self {
    case .umalqura:
      UmalquraMonths.firstYear + (day - Int(UmalquraMonths.starts[0])) / 355
    case .persian: max((day - PersianYears.epoch) * 33 / 12_053 - 1, 1_178)
    case .hebrew: (day - HebrewYears.epoch) * 98_496 / 35_975_351 - 1
    }
  }

  private func lengthsOfMonths(ofYear year: Int) -> [Int] {
    switch self {
    case .umalqura:
      let first = 12 * (year - UmalquraMonths.firstYear)
      return (first..<first + 12).map {
        Int(UmalquraMonths.starts[$0 + 1] - UmalquraMonths.starts[$0])
      }
    case .persian:
      return PersianYears.lengthsOfMonths(ofYear: year)
    case .hebrew:
      return HebrewYears.lengthsOfMonths(ofYear: year, isLeap: isHebrewLeap(year))
    }
  }
}

/// The years of the Persian calendar, by a cycle of 33 years with 8 leap years.
private enum PersianYears {
  static let epoch = -492_633

  static func start(ofYear year: Int) -> Int { epoch + 365 * year + (8 * year + 21) / 33 }

  static func lengthsOfMonths(ofYear year: Int) -> [Int] {
    let last = start(ofYear: year + 1) - start(ofYear: year) - 336
    return [31, 31, 31, 31, 31, 31, 30, 30, 30, 30, 30, last]
  }
}

/// The years of the Hebrew calendar (Reingold and Dershowitz, "Calendrical Calculations").
private enum HebrewYears {
  static let epoch = -2_092_590

  static func start(ofYear year: Int) -> Int {
    let (previous, current, next) = (
      elapsedDays(year - 1), elapsedDays(year), elapsedDays(year + 1)
    )
    // No year may have 356 or 382 days.
    let delay = next - current == 356 ? 2 : current - previous == 382 ? 1 : 0
    return epoch + current + delay
  }

  /// Returns the days from the epoch to the molad of a year's first month, which is moved away from
  /// Sundays, Wednesdays and Fridays.
  private static func elapsedDays(_ year: Int) -> Int {
    let months = (235 * year - 234) / 19
    let parts = 12_084 + 13_753 * months
    let day = 29 * months + parts / 25_920
    return 3 * (day + 1) % 7 < 3 ? day + 1 : day
  }

  static func lengthsOfMonths(ofYear year: Int, isLeap: Bool) -> [Int] {
    let length = start(ofYear: year + 1) - start(ofYear: year)
    let heshvan = length % 10 == 5 ? 30 : 29
    let kislev = length % 10 == 3 ? 29 : 30
    return [30, heshvan, kislev, 29, 30, isLeap ? 30 : 0, 29, 30, 29, 30, 29, 30, 29]
  }
}
