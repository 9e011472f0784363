/// A local date and time, without a time zone.
package struct LocalDateTime: Hashable, Sendable {
  package let date: LocalDate
  /// The seconds since midnight on a clock that does not change, 0..<86400.
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
  /// "2026-03-02 21:00"; with seconds if they are not zero, as in "2026-03-02 21:00:30".
  package var description: String {
    let seconds = secondOfDay % 60
    return "\(date) \(time)" + (seconds == 0 ? "" : ":" + Digits.padded(seconds, to: 2))
  }
}

/// A time of day on a wall clock, to the minute.
package struct LocalTime: Hashable, Sendable {
  /// The minutes since midnight on a clock that does not change, 0..<1440.
  package let minuteOfDay: Int

  package static let midnight = LocalTime(unchecked: 0)

  /// Returns nil outside 0..<1440.
  package init?(minuteOfDay: Int) {
    guard (0..<1_440).contains(minuteOfDay) else { return nil }
    self.minuteOfDay = minuteOfDay
  }

  /// Returns nil outside 00:00...23:59.
  package init?(hour: Int, minute: Int) {
    guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
    minuteOfDay = hour * 60 + minute
  }

  init(unchecked minuteOfDay: Int) {
    self.minuteOfDay = minuteOfDay
  }

  package var hour: Int { minuteOfDay / 60 }
  package var minute: Int { minuteOfDay % 60 }
  package var secondOfDay: Int { minuteOfDay * 60 }
}

extension LocalTime: Comparable {
  package static func < (left: LocalTime, right: LocalTime) -> Bool {
    left.minuteOfDay < right.minuteOfDay
  }
}

extension LocalTime: LosslessStringConvertible {
  /// Parses "HH:mm", from "00:00" to "23:59".
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
      let hour = Digits.number(bytes[0..<2]), let minute = Digits.number(bytes[3..<5])
    else { return nil }
    self.init(hour: hour, minute: minute)
  }

  /// "HH:mm".
  package var description: String {
    Digits.padded(hour, to: 2) + ":" + Digits.padded(minute, to: 2)
  }
}
