package import CivilTime

/// From when on a calendar reminder runs, and which of its days, weeks, months or years count.
package struct Series: Sendable {
  package var start: Start
  /// Every so many units; nil for each.
  package var step: CountsSource?
  package var unit: Unit
  /// The events that end it until it starts again.
  package var cancelledBy: [EventCondition]

  package enum Start: Sendable {
    /// It begins on a date.
    case date(LocalDate)
    /// It begins on the date after that of the latest of some events: for each of their entities,
    /// if they have an identifier.
    case events([EventCondition])
  }

  package enum Unit: String, CaseIterable, Sendable {
    case day, week, month, year
  }
}

extension Series.Unit {
  /// The most units that may lie between two that count.
  package var stepMax: Int { self == .day ? 366 : 60 }

  /// How many units lie between those of two dates. A week begins on Monday.
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

/// The dates of a series, with facts and settings looked up.
struct SeriesDates: Sendable {
  /// The date that its days are numbered from.
  let origin: LocalDate
  /// The first date that it may go out on.
  let first: LocalDate
  private let step: Int
  private let unit: Series.Unit
  /// The first chosen date, whose unit is the first that counts.
  private let start: LocalDate

  /// - Parameter chosen: the dates of the reminder that the series selects from.
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
  /// Every choice has a date within this many days.
  private static let longestGap = 366

  fileprivate func first(from date: LocalDate) -> LocalDate {
    (0...Self.longestGap).lazy.map { date + $0 }.first(where: contains) ?? date
  }
}

/// A length of elapsed time that a catalog fixes or a person sets (rule T3).
package enum SpanSource: Hashable, Sendable {
  case fixed(TimeSpan)
  /// A setting in milliseconds.
  case setting(Int)

  package func span(_ settings: Settings) -> TimeSpan {
    switch self {
    case .fixed(let span): span
    case .setting(let index): TimeSpan(milliseconds: settings[index])
    }
  }
}
