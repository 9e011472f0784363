import CivilTime

/// Days that begin at a local time (rule G24), such as 04:00: what happens at 00:30 belongs to the
/// evening before.
struct LocalDays {
  private let begin: Int
  private let zone: Zone

  /// - Parameter begin: the local time at which each day begins; midnight for local dates.
  init(begin: LocalTime, zone: Zone) {
    self.begin = begin.minuteOfDay
    self.zone = zone
  }

  /// Returns the beginning of the day that contains an instant.
  func start(of instant: Instant) -> Instant {
    let date = zone.date(at: instant)
    let start = self.instant(date, minute: 0)
    return start <= instant ? start : self.instant(date - 1, minute: 0)
  }

  /// Returns the instant from which events of `unless` count for an occurrence at a time of day:
  /// the beginning of its day or, if the reminder has an earlier time on that day, the middle
  /// between that time and the occurrence's.
  ///
  /// - Parameter times: returns the times of day of the reminder on a date, in minutes.
  func windowStart(
    of date: LocalDate, _ minute: Int, times: (LocalDate) -> [Int]
  ) -> Instant {
    let day = minute < begin ? date - 1 : date
    let own = minute < begin ? minute + Self.length - begin : minute - begin
    let onDate = times(day).filter { $0 >= begin }.map { $0 - begin }
    let onNextDate =
      begin == 0 ? [] : times(day + 1).filter { $0 < begin }.map { $0 + Self.length - begin }
    let previous = (onDate + onNextDate).filter { $0 < own }.max()
    return instant(day, minute: previous.map { ($0 + own) / 2 } ?? 0)
  }

  private static let length = 1_440

  /// Returns the instant at a distance of local time from the beginning of a day.
  private func instant(_ day: LocalDate, minute: Int) -> Instant {
    let minutes = begin + minute
    return zone.instant(
      of: day + minutes / Self.length,
      at: LocalTime(minuteOfDay: minutes % Self.length) ?? .midnight)
  }
}
