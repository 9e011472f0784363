internal import CivilTime

/// A rule by which an event comes again every year, or every few (RFC 5545, section 3.3.10).
struct YearlyRule {
  /// "MO" for every Monday, "4TH" for the fourth Thursday, "-1MO" for the last Monday, of the
  /// month or, if the rule names no months, of the year.
  struct Day: Hashable {
    /// -53...53 but not 0, where 1 is the first and -1 the last; nil for all.
    let ordinal: Int?
    let weekday: Weekday
  }

  /// At least 1.
  var interval = 1
  /// At least 1.
  var count: Int?
  var until: DateValue?
  /// 1...12, each once; empty for what the other parts leave open.
  var months: [Int] = []
  /// -31...31 but not 0, each once, where -1 is the month's last day.
  var monthDays: [Int] = []
  /// Without ordinals if there are days of the month.
  var days: Set<Day> = []

  /// The dates in a year, in order; the month and day that the rule does not say are the start's.
  /// A date that the year does not have, such as 29 February, is left out.
  func dates(in year: Int, start: LocalDate) -> [LocalDate] {
    let found =
      if !monthDays.isEmpty {
        datesByMonthDay(in: year)
      } else if !days.isEmpty {
        datesByWeekday(in: year)
      } else {
        (months.isEmpty ? [start.month] : months).compactMap {
          LocalDate(year: year, month: $0, day: start.day)
        }
      }
    return found.sortedWithoutRepetition()
  }

  private func datesByMonthDay(in year: Int) -> [LocalDate] {
    let spans = (months.isEmpty ? Array(1...12) : months).compactMap {
      DateSpan(month: $0, of: year)
    }
    let found = spans.flatMap { span in monthDays.compactMap(span.date) }
    guard !days.isEmpty else { return found }
    return found.filter { date in days.contains { $0.weekday == date.weekday } }
  }

  private func datesByWeekday(in year: Int) -> [LocalDate] {
    let spans =
      months.isEmpty ? [DateSpan(year: year)] : months.map { DateSpan(month: $0, of: year) }
    return spans.compactMap(\.self).flatMap { span in
      days.flatMap { span.dates(of: $0.weekday, $0.ordinal) }
    }
  }
}
