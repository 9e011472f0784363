/// A day of the proleptic Gregorian calendar, in no particular time zone.
package struct LocalDate: Hashable, Sendable {
  /// Days since 1970-01-01.
  package let daysSinceEpoch: Int32

  /// The date that many days after 1970-01-01. Beyond 32 bits, 5.8 million years, it is the
  /// last date of these.
  package init(daysSinceEpoch: Int) {
    self.daysSinceEpoch = Int32(clamping: daysSinceEpoch)
  }

  /// Nil unless the date exists and its year is in 1...9999.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9_999).contains(year), (1...12).contains(month),
      day >= 1, day <= GregorianCalendar.lengthOfMonth(month, of: year)
    else { return nil }
    self.init(daysSinceEpoch: GregorianCalendar.days(year: year, month: month, day: day))
  }

  package var year: Int { yearMonthDay.year }
  package var month: Int { yearMonthDay.month }
  package var day: Int { yearMonthDay.day }

  /// All three at the price of one: the calendar's arithmetic takes about 10 ns.
  package var yearMonthDay: (year: Int, month: Int, day: Int) {
    GregorianCalendar.date(ofDay: Int(daysSinceEpoch))
  }

  package var weekday: Weekday {
    // 1970-01-01 was a Thursday, three days after a Monday.
    let shifted = Int(daysSinceEpoch) + 3
    let sinceMonday = shifted - GregorianCalendar.floored(shifted, by: 7) * 7
    return Weekday.allCases[sinceMonday]
  }

  package static func + (date: LocalDate, days: Int) -> LocalDate {
    LocalDate(daysSinceEpoch: Int(date.daysSinceEpoch) + Int(Int32(clamping: days)))
  }

  package static func - (date: LocalDate, days: Int) -> LocalDate {
    LocalDate(daysSinceEpoch: Int(date.daysSinceEpoch) - Int(Int32(clamping: days)))
  }

  /// The days from `earlier` to `later`.
  package static func - (later: LocalDate, earlier: LocalDate) -> Int {
    Int(later.daysSinceEpoch) - Int(earlier.daysSinceEpoch)
  }
}

extension LocalDate: Comparable {
  package static func < (left: LocalDate, right: LocalDate) -> Bool {
    left.daysSinceEpoch < right.daysSinceEpoch
  }
}

extension LocalDate: LosslessStringConvertible {
  /// Reads "yyyy-MM-dd", four and two and two digits; nil if there is no such date.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Digits.number(bytes[0..<4]), let month = Digits.number(bytes[5..<7]),
      let day = Digits.number(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// "yyyy-MM-dd".
  package var description: String {
    let (year, month, day) = yearMonthDay
    return Digits.padded(year, to: 4) + "-" + Digits.padded(month, to: 2) + "-"
      + Digits.padded(day, to: 2)
  }
}
