import CivilTime

/// The dates of a plan. A look-up is arithmetic on local dates, because plans last for years.
package enum PlanDates: Hashable, Sendable {
  /// Every `step`-th day.
  case days(step: Int)
  /// Days of every `step`-th week, as bits of `Weekday.bit`. A week begins on Monday.
  case weeks(step: Int, days: Int64)
  /// The day of the first date in every `step`-th month, or the last day of a shorter month.
  case months(step: Int)
  /// Days of the week within `on` days, followed by `off` days without a dose.
  case cycle(on: Int, off: Int, days: Int64)
  case rule(PlanRule)

  /// All seven days, as bits of `Weekday.bit`.
  package static let everyDay: Int64 = 0b111_1111

  /// Returns the first date at or after a date; nil if there is none.
  ///
  /// - Parameters:
  ///   - date: a date that is not before `origin`.
  ///   - origin: the date from which steps and cycles count.
  ///   - end: the date after which no date is needed.
  func first(from date: LocalDate, since origin: LocalDate, through end: LocalDate) -> LocalDate? {
    switch self {
    case .days(let step): return origin + (date - origin + step - 1) / step * step
    case .weeks(let step, let days):
      let monday = origin.monday
      let week = (date - monday) / 7
      if week % step == 0, let day = Self.first(of: days, from: date - monday, in: week) {
        return monday + day
      }
      let next = (week / step + 1) * step
      return Self.first(of: days, from: 7 * next, in: next).map { monday + $0 }
    case .months(let step): return origin.first(ofEvery: step, from: date)
    case .cycle(let on, let off, let days):
      let period = on + off
      // After seven cycles the days of the week recur.
      let cycle = (date - origin) / period
      return (cycle...cycle + 7).lazy.compactMap { cycle in
        let start = origin + cycle * period
        let first = max(start, date)
        return (0..<7).lazy.map { first + $0 }.first {
          $0 < start + on && $0.weekday.bit & days != 0
        }
      }.first
    case .rule(let rule): return rule.first(from: date, since: origin, through: end)
    }
  }

  /// Returns the first selected day of a week from a day on; nil if there is none. Days and weeks
  /// are numbered from one Monday.
  private static func first(of days: Int64, from day: Int, in week: Int) -> Int? {
    (day..<7 * (week + 1)).first { days >> ($0 % 7) & 1 == 1 }
  }
}

extension LocalDate {
  var monday: LocalDate { self - (weekday.rawValue - Weekday.monday.rawValue) }

  /// Returns the number of months from this date's month to another's.
  func months(to other: LocalDate) -> Int {
    let (one, two) = (yearMonthDay, other.yearMonthDay)
    return 12 * (two.year - one.year) + two.month - one.month
  }

  /// Returns the first date, at or after another one, in every `step`-th month from this date's
  /// month. The result has this date's day, or is the last day of a shorter month.
  fileprivate func first(ofEvery step: Int, from date: LocalDate) -> LocalDate {
    let month = months(to: date) / step * step
    let day = adding(months: month)
    return day >= date ? day : adding(months: month + step)
  }

  /// Returns the same day of a later month, or the last day of a shorter one.
  func adding(months: Int) -> LocalDate {
    let (year, month, day) = yearMonthDay
    let index = month - 1 + months
    let (laterYear, laterMonth) = (year + index / 12, index % 12 + 1)
    return (0...3).lazy.compactMap {
      LocalDate(year: laterYear, month: laterMonth, day: day - $0)
    }.first ?? self
  }
}
