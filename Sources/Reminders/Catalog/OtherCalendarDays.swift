package import CivilTime

/// Days of the months or years of a calendar that is not the Gregorian one (rule G26).
package struct OtherCalendarDays: Hashable, Sendable {
  package let calendar: CalendarSystem
  /// The month of each year; nil for every month.
  let month: Int?
  /// The days: bit n is day n, and bit 0 is the last day of the month.
  private var bits: UInt32 = 0

  init(_ calendar: CalendarSystem, month: Int?) {
    (self.calendar, self.month) = (calendar, month)
  }

  var isEmpty: Bool { bits == 0 }

  /// - Parameter day: a day from 1 to 31; 0 for the last day.
  mutating func insert(day: Int) { bits |= 1 << UInt32(day & 31) }

  /// Returns whether a date is one of the days. A day beyond the end of a month means its last day.
  /// In a year without Adar I, that month means Adar.
  func contains(_ date: LocalDate) -> Bool {
    guard let day = calendar.day(of: date) else { return false }
    if let month {
      let isAdar = month == 6 && calendar == .hebrew && !calendar.isHebrewLeap(day.year)
      guard day.month == (isAdar ? 7 : month) else { return false }
    }
    if bits >> UInt32(day.day) & 1 == 1 { return true }
    guard bits & 1 == 1 || bits >> UInt32(day.day) != 0 else { return false }
    return day.day == calendar.lengthOfMonth(day.month, ofYear: day.year)
  }
}

extension OtherCalendarDays {
  /// Returns a clause with the day of the calendar on a date, and when the calendar ends if that is
  /// within a year.
  func words(on date: LocalDate) -> String? {
    guard let words = CalendarWords.english(calendar).date(date) else { return nil }
    let end = calendar.knownDates.upperBound
    let warning = end - date < 366 ? ", which is known until \(end)" : ""
    return "\(words) in \(calendar.rawValue)\(warning)"
  }
}
