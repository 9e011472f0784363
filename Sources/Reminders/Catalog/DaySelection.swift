package import CivilTime

/// The dates on which a calendar reminder goes out.
package enum DaySelection: Sendable {
  case week(DaysSource)
  case month(MonthDays)

  package func dates(_ settings: Settings) -> ChosenDates {
    switch self {
    // A value stored when the parameter was of another kind may have other bits.
    case .week(let source): .week(source.bits(settings) & 0b111_1111)
    case .month(let days): .month(days)
    }
  }
}

/// The same with the recipient's settings looked up.
package enum ChosenDates: Sendable {
  case week(Int64)
  case month(MonthDays)

  package var isEmpty: Bool {
    switch self {
    case .week(let bits): bits == 0
    case .month(let days): days.isEmpty
    }
  }

  package func contains(_ date: LocalDate) -> Bool {
    switch self {
    case .week(let bits): bits & date.weekday.bit != 0
    case .month(let days): days.contains(date)
    }
  }
}

/// Days of the month from 1 to 31, and the last one. A day that a month does not have is its last.
package struct MonthDays: Hashable, Sendable {
  private static let last = 32
  private var bits: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 }

  package mutating func insert(day: Int) {
    bits |= 1 << UInt64(day & 31)
  }

  package mutating func insertLast() {
    bits |= 1 << UInt64(Self.last)
  }

  package func contains(_ date: LocalDate) -> Bool {
    let day = UInt64(date.day)
    if bits >> day & 1 == 1 { return true }
    return (date + 1).day == 1 && bits >> day != 0
  }
}
