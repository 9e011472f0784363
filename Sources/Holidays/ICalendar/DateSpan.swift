internal import CivilTime

/// All dates of a month or of a year, counted from either end: 1 is the first, -1 the last.
struct DateSpan {
  private let first: LocalDate
  private let count: Int

  /// Nil unless the month is in 1...12 and the year in 1...9998.
  init?(month: Int, of year: Int) {
    let isDecember = month == 12
    self.init(
      from: LocalDate(year: year, month: month, day: 1),
      to: LocalDate(year: isDecember ? year + 1 : year, month: isDecember ? 1 : month + 1, day: 1))
  }

  /// Nil unless the year is in 1...9998.
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

  /// Nil if there are not so many dates.
  func date(_ ordinal: Int) -> LocalDate? {
    let offset = ordinal > 0 ? ordinal - 1 : count + ordinal
    return (0..<count).contains(offset) ? first + offset : nil
  }

  /// The dates that are a `weekday`, or the one that is the `ordinal`-th of these.
  func dates(of weekday: Weekday, _ ordinal: Int?) -> [LocalDate] {
    let offset = (weekday.rawValue - first.weekday.rawValue + 7) % 7
    let weeks = (count - offset + 6) / 7
    guard let ordinal else { return (0..<weeks).map { first + (offset + 7 * $0) } }
    let week = ordinal > 0 ? ordinal - 1 : weeks + ordinal
    return (0..<weeks).contains(week) ? [first + (offset + 7 * week)] : []
  }
}
