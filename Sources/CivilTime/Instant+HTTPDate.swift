extension Instant {
  /// As HTTP writes it, to the second: "Mon, 02 Mar 2026 02:00:00 GMT" (RFC 9110, section 5.6.7);
  /// nil for a year that does not have four digits.
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
