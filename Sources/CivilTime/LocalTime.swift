/// A time of day on a wall clock, to the minute.
package struct LocalTime: Hashable, Sendable {
  /// 0..<1440.
  package let minuteOfDay: Int

  package static let midnight = LocalTime(unchecked: 0)

  /// Nil outside 0..<1440.
  package init?(minuteOfDay: Int) {
    guard (0..<1_440).contains(minuteOfDay) else { return nil }
    self.minuteOfDay = minuteOfDay
  }

  /// Nil outside 00:00...23:59.
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
  /// Reads "HH:mm", two digits each, "00:00" to "23:59".
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
