package import CivilTime

/// The dates on which a calendar reminder goes out.
package enum DaySelection: Sendable {
  case week(DaysSource)
  case month(MonthDays)
  case year(YearDays)

  package func dates(_ settings: Settings) -> ChosenDates {
    switch self {
    // A value stored when the parameter was of another kind may have other bits.
    case .week(let source): .week(source.bits(settings) & 0b111_1111)
    case .month(let days): .month(days)
    case .year(let days): .year(days)
    }
  }
}

/// The same with the recipient's settings looked up.
package enum ChosenDates: Sendable {
  case week(Int64)
  case month(MonthDays)
  case year(YearDays)

  package var isEmpty: Bool {
    switch self {
    case .week(let bits): bits == 0
    case .month(let days): days.isEmpty
    case .year(let days): days.isEmpty
    }
  }

  package func contains(_ date: LocalDate) -> Bool {
    switch self {
    case .week(let bits): bits & date.weekday.bit != 0
    case .month(let days): days.contains(date)
    case .year(let days): days.contains(date)
    }
  }
}

/// Days of the month from 1 to 31, and the last one; and days of the week by their place in the
/// month. A day that a month does not have is its last.
package struct MonthDays: Hashable, Sendable {
  /// The places that a day of the week may have in a month.
  package static let ordinals = ["first", "second", "third", "fourth", "last"]
  private static let last = 32
  private var bits: UInt64 = 0
  /// Seven bits for each of the ordinals.
  private var weekdays: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 && weekdays == 0 }

  package mutating func insert(day: Int) {
    bits |= 1 << UInt64(day & 31)
  }

  package mutating func insertLast() {
    bits |= 1 << UInt64(Self.last)
  }

  /// - Parameter ordinal: the place of a word among the ordinals.
  package mutating func insert(_ weekday: Weekday, ordinal: Int) {
    weekdays |= UInt64(weekday.bit) << UInt64(7 * ordinal)
  }

  package func contains(_ date: LocalDate) -> Bool {
    if weekdays != 0, containsWeekday(of: date) { return true }
    guard bits != 0 else { return false }
    if bits >> UInt64(date.day) & 1 == 1 { return true }
    return (date + 1).day == 1 && bits >> UInt64(date.day) != 0
  }

  private func containsWeekday(of date: LocalDate) -> Bool {
    let bit = UInt64(date.weekday.bit)
    let place = (date.day - 1) / 7
    if place < 4, weekdays >> UInt64(7 * place) & bit != 0 { return true }
    return weekdays >> UInt64(7 * 4) & bit != 0 && (date + 7).month != date.month
  }
}

/// Days of the year; 29 February is 28 February in a year that does not have it.
package struct YearDays: Hashable, Sendable {
  /// A bit for each day of each month.
  private var months = [UInt32](repeating: 0, count: 13)

  package init() {}

  package var isEmpty: Bool { months.allSatisfy { $0 == 0 } }

  package mutating func insert(month: Int, day: Int) {
    months[month] |= 1 << UInt32(day)
  }

  package func contains(_ date: LocalDate) -> Bool {
    let (_, month, day) = date.yearMonthDay
    if months[month] >> UInt32(day) & 1 == 1 { return true }
    return month == 2 && day == 28 && months[2] >> 29 & 1 == 1 && (date + 1).day == 1
  }
}
