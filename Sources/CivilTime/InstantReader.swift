/// Reads RFC 3339 text, whose fields up to the seconds have fixed places.
struct InstantReader {
  let bytes: UnsafeBufferPointer<UInt8>

  /// The instants of years 1 to 9999 in milliseconds.
  private static let supported = -62_135_596_800_000..<253_402_300_800_000

  /// Milliseconds since the epoch; nil if the text is malformed.
  func read() -> Int64? {
    guard bytes.count >= 20, let days = readDate(), let seconds = readTime(),
      let fraction = readFraction(), let offset = readOffset(from: fraction.end)
    else { return nil }
    let milliseconds = (days * 86_400 + seconds - offset) * 1_000 + fraction.milliseconds
    return Self.supported.contains(milliseconds) ? Int64(milliseconds) : nil
  }

  /// "yyyy-MM-ddT", as days since the epoch.
  private func readDate() -> Int? {
    guard let century = pair(at: 0), let ofCentury = pair(at: 2), let month = pair(at: 5),
      let day = pair(at: 8), has("-", at: 4), has("-", at: 7), has("T", or: "t", at: 10)
    else { return nil }
    let year = century * 100 + ofCentury
    guard year >= 1, (1...12).contains(month), day >= 1,
      day <= GregorianCalendar.lengthOfMonth(month, of: year)
    else { return nil }
    return GregorianCalendar.days(year: year, month: month, day: day)
  }

  /// "HH:mm:ss", as the second of the day.
  private func readTime() -> Int? {
    guard let hour = pair(at: 11), let minute = pair(at: 14), let second = pair(at: 17),
      has(":", at: 13), has(":", at: 16), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3_600 + minute * 60 + min(second, 59)
  }

  /// A dot and digits, if there is a dot after the seconds.
  private func readFraction() -> (milliseconds: Int, end: Int)? {
    guard has(".", at: 19) else { return (0, 19) }
    var milliseconds = 0
    var weight = 100
    var end = 20
    while end < bytes.count, let digit = digit(at: end) {
      milliseconds += digit * weight
      weight /= 10
      end += 1
    }
    return end > 20 ? (milliseconds, end) : nil
  }

  /// "Z" or "±HH:mm" and then the end, as seconds east of UTC.
  private func readOffset(from start: Int) -> Int? {
    if bytes.count == start + 1 { return has("Z", or: "z", at: start) ? 0 : nil }
    guard bytes.count == start + 6, has("+", or: "-", at: start), has(":", at: start + 3),
      let hour = pair(at: start + 1), let minute = pair(at: start + 4), hour < 24, minute < 60
    else { return nil }
    let offset = hour * 3_600 + minute * 60
    return has("-", at: start) ? -offset : offset
  }

  private func has(_ character: Unicode.Scalar, at place: Int) -> Bool {
    bytes[place] == UInt8(ascii: character)
  }

  private func has(_ one: Unicode.Scalar, or other: Unicode.Scalar, at place: Int) -> Bool {
    has(one, at: place) || has(other, at: place)
  }

  private func digit(at place: Int) -> Int? {
    let digit = bytes[place] &- UInt8(ascii: "0")
    return digit <= 9 ? Int(digit) : nil
  }

  private func pair(at place: Int) -> Int? {
    guard let tens = digit(at: place), let ones = digit(at: place + 1) else { return nil }
    return tens * 10 + ones
  }
}
