package import CivilTime

/// The start of a calendar reminder, and the choice of the days, weeks, months or years in which
/// the reminder has dates.
package struct Series: Sendable {
  package var start: Start
  /// The number n if the series uses only every n-th unit; nil if it uses every unit.
  package var step: CountsSource?
  /// The unit of `step`.
  package var unit: Unit
  /// The events that end the series until it starts again.
  package var cancelledBy: [EventCondition]

  package enum Start: Sendable {
    /// The series begins on a date.
    case date(LocalDate)
    /// The series begins on the day after the latest of these events. For events with an
    /// identifier, each entity has a separate series.
    case events([EventCondition])
  }

  package enum Unit: String, CaseIterable, Sendable {
    case day, week, month, year
  }
}

extension Series.Unit {
  /// The maximum step in units.
  package var stepMax: Int { self == .day ? 366 : 60 }

  /// Returns the number of units from the unit that contains the start date to the one that
  /// contains another date. A week begins on Monday.
  func distance(from start: LocalDate, to date: LocalDate) -> Int {
    switch self {
    case .day: return date - start
    case .week: return (monday(of: date) - monday(of: start)) / 7
    case .month: return 12 * (date.year - start.year) + date.month - start.month
    case .year: return date.year - start.year
    }
  }

  private func monday(of date: LocalDate) -> LocalDate {
    date - (date.weekday.rawValue - Weekday.monday.rawValue)
  }
}

/// The dates of a series for one recipient's facts and settings.
struct SeriesDates: Sendable {
  /// The date from which the days of the series are numbered.
  let origin: LocalDate
  /// The first date that may be in the series.
  let first: LocalDate
  private let step: Int
  private let unit: Series.Unit
  /// The reminder's first date from `first` on. The series uses the unit of this date, such as its
  /// week, and every `step`-th unit after that unit.
  private let start: LocalDate

  /// - Parameters:
  ///   - isAfter: whether the series begins on the day after the origin.
  ///   - chosen: the dates of the reminder, from which the series selects.
  init(
    _ series: Series, origin: LocalDate, isAfter: Bool, of chosen: ChosenDates,
    _ settings: Settings
  ) {
    self.origin = origin
    let first = isAfter ? origin + 1 : origin
    let step = series.step?.numbers(settings).first ?? 1
    self.step = min(max(Int(clamping: step), 1), series.unit.stepMax)
    unit = series.unit
    self.first = first
    start = self.step == 1 ? first : chosen.first(from: first)
  }

  func contains(_ date: LocalDate) -> Bool {
    date >= first && (step == 1 || unit.distance(from: start, to: date) % step == 0)
  }
}

extension ChosenDates {
  /// The maximum gap in days between two dates of any choice.
  private static let longestGap = 366

  fileprivate func first(from date: LocalDate) -> LocalDate {
    (0...Self.longestGap).lazy.map { date + $0 }.first(where: contains) ?? date
  }
}

/// A span of elapsed time that is fixed by the catalog or set by the recipient (rule T3).
package enum SpanSource: Hashable, Sendable {
  case fixed(TimeSpan)
  /// The index of a setting with a span in milliseconds.
  case setting(Int)

  package func span(_ settings: Settings) -> TimeSpan {
    switch self {
    case .fixed(let span): span
    case .setting(let index): TimeSpan(milliseconds: settings[index])
    }
  }
}
