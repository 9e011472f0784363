import CivilTime

/// The distance of an instant from the instant of sending, as people express it. It is in elapsed
/// minutes below two hours, in hours within a local date, and otherwise by the calendar.
enum RelativeTime: Hashable, Sendable {
  case thisMinute
  case minutes(Int)
  case hours(Int)
  case today, tomorrow, yesterday
  /// A day of the week, for a date within six days.
  case weekday(LocalDate)
  case daysAgo(Int)
  case date(LocalDate)

  /// A past instant at local midnight counts as a date without a time.
  ///
  /// - Parameter zone: the zone of the dates.
  init(to instant: Instant, from now: Instant, in zone: Zone) {
    let minutes = Self.minutes(from: now, to: instant)
    let (date, today) = (zone.date(at: instant), zone.date(at: now))
    let isDate = minutes < 0 && zone.local(at: instant).time == .midnight
    switch (abs(minutes), date - today) {
    case (_, 0) where isDate: self = .today
    case (0, _) where !isDate: self = .thisMinute
    case (60, _) where !isDate: self = .hours(minutes / 60)
    case (1..<120, _) where !isDate: self = .minutes(minutes)
    case (_, 0): self = .hours(minutes / 60)
    case (_, 1): self = .tomorrow
    case (_, -1): self = .yesterday
    case (_, 2...6): self = .weekday(date)
    case (_, -6 ... -2): self = .daysAgo(today - date)
    default: self = .date(date)
    }
  }

  /// Returns the time from one instant to another, rounded to the nearest minute. It is negative if
  /// the other instant is earlier.
  static func minutes(from now: Instant, to instant: Instant) -> Int {
    let span = instant.milliseconds - now.milliseconds
    return Int((span + (span < 0 ? -30_000 : 30_000)) / 60_000)
  }
}
