package import CivilTime

/// The dates of a recurrence rule of iCalendar (RFC 5545, section 3.3.10), in floating local time.
/// The rule ends with its plan.
package struct PlanRule: Hashable, Sendable {
  package enum Frequency: Int, CaseIterable, Sendable {
    case daily, weekly, monthly, yearly
  }

  /// A day of the week, or with an ordinal a single one of the month or the year.
  package struct Day: Hashable, Sendable {
    /// The position among the same days of the month or year, from 1. A negative position counts
    /// from the end; nil means all of them.
    package var ordinal: Int?
    package var weekday: Weekday
  }

  /// The unit of the periods from which the rule selects dates.
  package var frequency: Frequency
  /// The number n if only every n-th period from the first date is used.
  package var interval = 1
  /// The day on which a weekly period begins.
  package var weekStart = Weekday.monday
  /// The months from 1 to 12; empty for all.
  package var months: [Int] = []
  /// The days of the month; a negative one counts from the month's end. Empty for all.
  package var monthDays: [Int] = []
  /// The days of the week; empty for all.
  package var days: [Day] = []
  /// The positions among the dates of each period; negative ones count from its end. Empty for all.
  package var positions: [Int] = []

  package init(frequency: Frequency) {
    self.frequency = frequency
  }

  /// Returns the first date at or after a date, and not after `end`; nil if there is none. With
  /// `positions`, the result may also be after `end`, in the period that contains `end`.
  ///
  /// - Parameter origin: the date of DTSTART, from which intervals count.
  /// - Complexity: constant, if dates are not years apart. Days and weeks of other months are
  ///   skipped.
  func first(from date: LocalDate, since origin: LocalDate, through end: LocalDate) -> LocalDate? {
    let rule = completed(origin)
    var number = rule.number(of: date, since: origin) / interval * interval
    while true {
      Work.countStep()
      let period = rule.period(number, since: origin)
      guard period.lowerBound <= end else { return nil }
      if let first = rule.firstDate(in: period, from: date, through: end) { return first }
      number = rule.nextNumber(after: number, since: origin)
    }
  }

  /// Returns the rule, with absent parts replaced by those that follow from DTSTART.
  private func completed(_ origin: LocalDate) -> PlanRule {
    guard days.isEmpty, monthDays.isEmpty else { return self }
    var rule = self
    switch frequency {
    case .daily: break
    case .weekly: rule.days = [Day(weekday: origin.weekday)]
    case .monthly: rule.monthDays = [origin.day]
    case .yearly:
      rule.monthDays = [origin.day]
      if months.isEmpty { rule.months = [origin.month] }
    }
    return rule
  }

  // MARK: - Periods

  /// Returns the number of periods from the period of DTSTART to the period of a date.
  private func number(of date: LocalDate, since origin: LocalDate) -> Int {
    switch frequency {
    case .daily: date - origin
    case .weekly: (date - start(ofWeek: origin)) / 7
    case .monthly: origin.months(to: date)
    case .yearly: date.year - origin.year
    }
  }

  /// Returns the number of the next period that may have a date.
  private func nextNumber(after number: Int, since origin: LocalDate) -> Int {
    let next = number + interval
    guard !months.isEmpty, frequency == .daily || frequency == .weekly else { return next }
    let period = period(next, since: origin)
    let month = period.lowerBound.month
    guard ![month, (period.upperBound - 1).month].contains(where: months.contains) else {
      return next
    }
    let nextMonth = months.first { $0 > month } ?? months[0] + 12
    let firstOfMonth = period.lowerBound - (period.lowerBound.day - 1)
    let first = self.number(of: firstOfMonth.adding(months: nextMonth - month), since: origin)
    return (first + interval - 1) / interval * interval
  }

  private func period(_ number: Int, since origin: LocalDate) -> Range<LocalDate> {
    switch frequency {
    case .daily:
      let day = origin + number
      return day..<day + 1
    case .weekly:
      let start = start(ofWeek: origin) + 7 * number
      return start..<start + 7
    case .monthly:
      let first = origin - (origin.day - 1)
      return first.adding(months: number)..<first.adding(months: number + 1)
    case .yearly:
      let first = (origin - (origin.day - 1)).adding(months: 1 - origin.month)
      return first.adding(months: 12 * number)..<first.adding(months: 12 * (number + 1))
    }
  }

  private func start(ofWeek date: LocalDate) -> LocalDate {
    date - (date.weekday.rawValue - weekStart.rawValue + 7) % 7
  }

  // MARK: - Dates

  private func firstDate(
    in period: Range<LocalDate>, from date: LocalDate, through end: LocalDate
  ) -> LocalDate? {
    guard positions.isEmpty else { return dates(in: period).first { $0 >= date } }
    let first = max(period.lowerBound, date)
    let count = min(period.upperBound, end + 1) - first
    return (0..<max(count, 0)).lazy.map { first + $0 }.first(where: isSelected)
  }

  /// Returns the dates of a period, in order.
  private func dates(in period: Range<LocalDate>) -> [LocalDate] {
    let dates = (0..<period.upperBound - period.lowerBound).lazy
      .map { period.lowerBound + $0 }.filter(isSelected)
    guard !positions.isEmpty else { return Array(dates) }
    let all = Array(dates)
    let indices = positions.map { $0 > 0 ? $0 - 1 : all.count + $0 }
    return Set(indices).filter(all.indices.contains).sorted().map { all[$0] }
  }

  private func isSelected(_ date: LocalDate) -> Bool {
    let (year, month, day) = date.yearMonthDay
    guard months.isEmpty || months.contains(month) else { return false }
    if !monthDays.isEmpty {
      let length = date - (day - 1)
      let count = length.adding(months: 1) - length
      guard monthDays.contains(day) || monthDays.contains(day - count - 1) else { return false }
    }
    return days.isEmpty || days.contains { isDay($0, date, year) }
  }

  private func isDay(_ day: Day, _ date: LocalDate, _ year: Int) -> Bool {
    guard day.weekday == date.weekday else { return false }
    guard let ordinal = day.ordinal else { return true }
    let isOfYear = frequency == .yearly && months.isEmpty
    let first =
      isOfYear
      ? LocalDate(year: year, month: 1, day: 1) ?? date : date - (date.day - 1)
    let next = first.adding(months: isOfYear ? 12 : 1)
    return ordinal > 0
      ? (date - first) / 7 + 1 == ordinal : -((next - 1 - date) / 7) - 1 == ordinal
  }
}
