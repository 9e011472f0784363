import CivilTime
import Reminders

/// The quiet minutes of some days, found by reading the local time minute by minute. This method is
/// simple enough to be correct, but fast enough only for tests.
struct QuietMinutes {
  private let margin: Int
  private let first: Instant
  private var isQuiet: [Bool]

  /// Covers some days before and after an instant, which is rounded down to its minute.
  init(_ hours: QuietHours, in zone: Zone, around instant: Instant, days: Int = 3) {
    margin = days * 1_440
    let minute = Instant(milliseconds: instant.milliseconds - instant.milliseconds % 60_000)
    first = minute - .minutes(margin)
    isQuiet = Array(repeating: false, count: 2 * margin)
    guard hours.isEnabled else { return }
    let first = first
    let localTimes = isQuiet.indices.map { zone.local(at: first + .minutes($0)) }
    mark(hours.days, hours.start, hours.start < hours.end ? 0 : 1, hours.end, localTimes)
    for window in hours.others {
      let end = LocalTime(minuteOfDay: window.endMinute % 1_440) ?? .midnight
      let isWholeOrLater = window.endMinute == 1_440 || end < window.start
      mark(window.days, window.start, isWholeOrLater ? 1 : 0, end, localTimes)
    }
  }

  /// Marks the minutes of a window that ends some days after the date of its start.
  ///
  /// - Parameters:
  ///   - days: The weekdays on which the window starts, as bits.
  ///   - endDays: The number of days from the date of the start to the date of the end.
  private mutating func mark(
    _ days: Int64, _ start: LocalTime, _ endDays: Int, _ end: LocalTime,
    _ localTimes: [LocalDateTime]
  ) {
    for date in Set(localTimes.map(\.date)) where days & date.weekday.bit != 0 {
      let end = LocalDateTime(date: date + endDays, time: end)
      let start = LocalDateTime(date: date, time: start)
      // A window begins and ends when the local time first equals its start or end or, after a
      // gap, exceeds it.
      let startIndex = localTimes.firstIndex { $0 >= start } ?? localTimes.endIndex
      let endIndex = localTimes.firstIndex { $0 >= end } ?? localTimes.endIndex
      for index in startIndex..<max(startIndex, endIndex) { isQuiet[index] = true }
    }
  }

  /// Whether the minute that begins so many minutes after the instant is quiet.
  subscript(minutes: Int) -> Bool { isQuiet[margin + minutes] }
}
