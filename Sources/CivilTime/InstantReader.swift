/// Parses RFC 3339, whose fields up to the seconds have fixed positions.
struct InstantReader {
  let bytes: UnsafeBufferPointer<UInt8>

  /// The instants of years 1 to 9999, in milliseconds.
  private static let supported = -62_135_596_800_000..<253_402_300_800_000

  /// Returns the milliseconds since the epoch; nil if the text is malformed.
  func read() -> Int64? {
    guard bytes.count >= 20, let days = readDate(), let seconds = readTime(),
      let fraction = readFraction(), let offset = readOffset(from: fraction.end)
    else { return nil }
    let milliseconds = (days * 86_400 + seconds - offset) * 1_000 + fraction.milliseconds
    return Self.supported.contains(milliseconds) ? Int64(milliseconds) : nil
  }

  /// Reads "yyyy-MM-ddT" and returns the days since the epoch.
  private func readDate() -> Int? {
    guard let century = pair(at: 0), let yearOfCentury = pair(at: 2), let month = pair(at: 5),
      let day = pair(at: 8), has("-", at: 4), has("-", at: 7), has("T", or: "t", at: 10)
    else { return nil }
    let year = century * 100 + yearOfCentury
    guard year >= 1, (1...12).contains(month), day >= 1,
      day <= GregorianCalendar.lengthOfMonth(month, of: year)
    else { return nil }
    return GregorianCalendar.days(year: year, month: month, day: day)
  }

  /// Reads "HH:mm:ss" and returns the second of the day.
  private func readTime() -> Int? {
    guard let hour = pair(at: 11), let minute = pair(at: 14), let second = pair(at: 17),
      has(":", at: 13), has(":", at: 16), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3_600 + minute * 60 + min(second, 59)
  }

  /// Reads a dot and digits, if a dot follows the seconds.
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

  /// Reads the final "Z" or "±HH:mm" and returns the seconds east of UTC.
  private func readOffset(from start: Int) -> Int? {
    if bytes.count == start + 1 { return has("Z", or: "z", at: start) ? 0 : nil }
    guard bytes.count == start + 6, has("+", or: "-", at: start), has(":", at: start + 3),
      let hour = pair(at: start + 1), let minute = pair(at: start + 4), hour < 24, minute < 60
    else { return nil }
    let offset = hour * 3_600 + minute * 60
    return has("-", at: start) ? -offset : offset
  }

  private func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
    bytes[index] == UInt8(ascii: character)
  }

  private func has(_ one: Unicode.Scalar, or other: Unicode.Scalar, at index: Int) -> Bool {
    has(one, at: index) || has(other, at: index)
  }

  private func digit(at index: Int) -> Int? {
    let digit = bytes[index] &- UInt8(ascii: "0")
    return digit <= 9 ? Int(digit) : nil
  }

  private func pair(at index: Int) -> Int? {
    guard let tens = digit(at: index), let ones = digit(at: index + 1) else { return nil }
    return tens * 10 + ones
  }
}

extension Instant {
  /// Parses an RFC 3339 date and time, such as "2026-03-02T03:00:00.5+01:00".
  ///
  /// The date must exist. "t" and "z" may be lower case. Fraction digits after the third are
  /// dropped. A leap second (":60") becomes the second before it. The years, as written and in UTC,
  /// are 0001 to 9999. Returns nil for any other text. Takes about 30 ns.
  package init?(_ text: String) {
    self.init(reading: text.utf8)
  }

  package init?(_ text: Substring) {
    self.init(reading: text.utf8)
  }

  /// Parses bytes that contain only the text; see ``init(_:)``.
  package init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
    guard let milliseconds = InstantReader(bytes: bytes).read() else { return nil }
    self.init(milliseconds: milliseconds)
  }

  @inline(__always)
  private init?(reading utf8: some Collection<UInt8>) {
    // Only a bridged string has no contiguous storage.
    let read = utf8.withContiguousStorageIfAvailable { Instant(ascii: $0) }
    guard let instant = read ?? Array(utf8).withUnsafeBufferPointer({ Instant(ascii: $0) }) else {
      return nil
    }
    self = instant
  }
}

/// Decimal digits in ASCII, independent of a locale.
enum Digits {
  /// Returns the value of at most 18 digits; nil for any other text.
  static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
    var value = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  /// Returns the number in decimal, padded with zeros to `width` after any minus sign.
  static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }
}
