extension Instant {
  /// The HTTP date, to the second: "Mon, 02 Mar 2026 02:00:00 GMT" (RFC 9110, section 5.6.7); nil
  /// for a year without four digits.
  package var httpDate: String? {
    let days = GregorianCalendar.floored(Int(seconds), by: 86_400)
    let (year, month, day) = GregorianCalendar.date(ofDay: days)
    guard (0...9_999).contains(year) else { return nil }
    let second = Int(seconds) - days * 86_400
    let weekday = Self.weekdays[LocalDate(daysSinceEpoch: days).weekday.rawValue - 1]
    let date =
      "\(Digits.padded(day, to: 2)) \(Self.months[month - 1]) \(Digits.padded(year, to: 4))"
    let time = [second / 3_600, second / 60 % 60, second % 60].map { Digits.padded($0, to: 2) }
    return "\(weekday), \(date) \(time.joined(separator: ":")) GMT"
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension Instant {
  /// Parses a current or obsolete HTTP date: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94
  /// 08:49:37 GMT", "Sun Nov  6 08:49:37 1994" (RFC 9110, section 5.6.7).
  ///
  /// Ignores the day of the week. A year of two digits means 1970 to 2069.
  package init?(httpDate text: String) {
    var words = text.split { " ,-".contains($0) }.dropFirst().map { Array($0.utf8)[...] }
    if words.count == 4 {
      words = [words[1], words[0], words[3], words[2]]
    } else {
      guard words.popLast()?.elementsEqual("GMT".utf8) == true, words.count == 4 else { return nil }
    }
    let clockFields = words[3].split(separator: UInt8(ascii: ":"))
    let clock = clockFields.compactMap { Digits.number($0) }
    guard clockFields.count == 3, clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60,
      let month = Self.months.firstIndex(where: { words[1].elementsEqual($0.utf8) }),
      let day = Digits.number(words[0]), let year = Self.year(words[2]),
      let date = LocalDate(year: year, month: month + 1, day: day)
    else { return nil }
    let seconds = clock[0] * 3_600 + clock[1] * 60 + clock[2]
    let days = Int64(date.daysSinceEpoch)
    self.init(milliseconds: (days * 86_400 + Int64(seconds)) * 1_000)
  }

  private static func year(_ digits: ArraySlice<UInt8>) -> Int? {
    guard let year = Digits.number(digits) else { return nil }
    switch digits.count {
    case 2: return year + (year < 70 ? 2_000 : 1_900)
    case 4: return year
    default: return nil
    }
  }
}
