/// An instant of years 0 to 9999 taken apart to be written as RFC 3339.
struct InstantFields {
  /// The length of "2026-03-02T02:00:00.000Z".
  static let length = 24

  private let date: (year: Int, month: Int, day: Int)
  private let secondOfDay: Int
  private let millisecond: Int

  /// Nil for years that do not have four digits.
  init?(_ instant: Instant) {
    let seconds = Int(instant.seconds)
    let days = GregorianCalendar.floored(seconds, by: 86_400)
    date = GregorianCalendar.date(ofDay: days)
    guard (0...9_999).contains(date.year) else { return nil }
    secondOfDay = seconds - days * 86_400
    millisecond = instant.millisecondOfSecond
  }

  /// Fills the first ``length`` bytes and returns their number.
  func write(to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
    put(date.year / 100, UInt8(ascii: "0"), at: 0, in: bytes)
    put(date.year % 100, UInt8(ascii: "-"), at: 2, in: bytes)
    put(date.month, UInt8(ascii: "-"), at: 5, in: bytes)
    put(date.day, UInt8(ascii: "T"), at: 8, in: bytes)
    put(secondOfDay / 3_600, UInt8(ascii: ":"), at: 11, in: bytes)
    put(secondOfDay / 60 % 60, UInt8(ascii: ":"), at: 14, in: bytes)
    put(secondOfDay % 60, UInt8(ascii: "."), at: 17, in: bytes)
    put(millisecond / 10, UInt8(ascii: "0") + UInt8(millisecond % 10), at: 20, in: bytes)
    bytes[23] = UInt8(ascii: "Z")
    return Self.length
  }

  /// Writes two digits and the byte that follows them.
  private func put(
    _ number: Int, _ following: UInt8, at place: Int, in bytes: UnsafeMutableBufferPointer<UInt8>
  ) {
    bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
    bytes[place + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    bytes[place + 2] = following
  }
}
