/// What a calendar and a wall clock show, in no particular time zone.
package struct LocalDateTime: Hashable, Sendable {
  package let date: LocalDate
  /// 0..<86400.
  package let secondOfDay: Int

  package init(date: LocalDate, secondOfDay: Int) {
    self.date = date
    self.secondOfDay = secondOfDay
  }

  package init(date: LocalDate, time: LocalTime) {
    self.init(date: date, secondOfDay: time.secondOfDay)
  }

  /// The time of day to the minute, rounded down.
  package var time: LocalTime { LocalTime(unchecked: secondOfDay / 60) }
}

extension LocalDateTime: Comparable {
  package static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
    (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
  }
}

extension LocalDateTime: CustomStringConvertible {
  /// "2026-03-02 21:00", with seconds, as in "2026-03-02 21:00:30", only if they are not zero.
  package var description: String {
    let seconds = secondOfDay % 60
    return "\(date) \(time)" + (seconds == 0 ? "" : ":" + Digits.padded(seconds, to: 2))
  }
}
