/// A point in time: milliseconds of UTC since 1970-01-01T00:00:00Z, leap seconds not counted
/// (rule T1).
package struct Instant: Hashable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Whole seconds since the epoch, rounded towards the past.
  package var seconds: Int64 {
    let quotient = milliseconds / 1_000
    return milliseconds % 1_000 < 0 ? quotient - 1 : quotient
  }

  /// The milliseconds after ``seconds``, in 0..<1000.
  var millisecondOfSecond: Int {
    let remainder = Int(milliseconds % 1_000)
    return remainder < 0 ? remainder + 1_000 : remainder
  }

  /// Returns the instant that is `span` later. Like the other operators, it traps if the result
  /// exceeds 64 bits; instants and spans that were parsed from text are too small for that.
  package static func + (instant: Instant, span: TimeSpan) -> Instant {
    Instant(milliseconds: instant.milliseconds + span.milliseconds)
  }

  package static func - (instant: Instant, span: TimeSpan) -> Instant {
    Instant(milliseconds: instant.milliseconds - span.milliseconds)
  }

  package static func - (later: Instant, earlier: Instant) -> TimeSpan {
    TimeSpan(milliseconds: later.milliseconds - earlier.milliseconds)
  }

  package static func += (instant: inout Instant, span: TimeSpan) {
    instant = instant + span
  }

  package static func -= (instant: inout Instant, span: TimeSpan) {
    instant = instant - span
  }
}

extension Instant: Comparable {
  package static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Instant: LosslessStringConvertible {
  /// RFC 3339 in UTC with milliseconds: "2026-03-02T02:00:00.000Z". A year of five or more digits
  /// is written in full, a year before 0 with a minus sign; the parser accepts neither.
  package var description: String {
    guard let fields = InstantFields(self) else { return unusualDescription }
    return String(unsafeUninitializedCapacity: InstantFields.length) { fields.write(to: $0) }
  }

  /// Appends the ``description`` in ASCII. Takes about 40 ns.
  package func write(into bytes: inout [UInt8]) {
    guard let fields = InstantFields(self) else {
      bytes.append(contentsOf: unusualDescription.utf8)
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: InstantFields.length) { buffer in
      _ = fields.write(to: buffer)
      bytes.append(contentsOf: buffer)
    }
  }

  private var unusualDescription: String {
    let days = GregorianCalendar.floored(Int(seconds), by: 86_400)
    let (year, month, day) = GregorianCalendar.date(ofDay: days)
    let second = Int(seconds) - days * 86_400
    let date = [Digits.padded(year, to: 4), Digits.padded(month, to: 2), Digits.padded(day, to: 2)]
    let time = [second / 3_600, second / 60 % 60, second % 60].map { Digits.padded($0, to: 2) }
    let millisecond = Digits.padded(millisecondOfSecond, to: 3)
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + ".\(millisecond)Z"
  }
}

/// The fields of an instant in years 0 to 9999, for writing RFC 3339.
struct InstantFields {
  /// The length of "2026-03-02T02:00:00.000Z".
  static let length = 24

  private let date: (year: Int, month: Int, day: Int)
  private let secondOfDay: Int
  private let millisecond: Int

  /// Returns nil for an instant outside the years 0 to 9999.
  init?(_ instant: Instant) {
    let seconds = Int(instant.seconds)
    let days = GregorianCalendar.floored(seconds, by: 86_400)
    date = GregorianCalendar.date(ofDay: days)
    guard (0...9_999).contains(date.year) else { return nil }
    secondOfDay = seconds - days * 86_400
    millisecond = instant.millisecondOfSecond
  }

  /// Writes the first ``length`` bytes and returns their number.
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

  /// Writes a number as two digits, and the byte that follows them.
  private func put(
    _ number: Int, _ following: UInt8, at index: Int, in bytes: UnsafeMutableBufferPointer<UInt8>
  ) {
    bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
    bytes[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    bytes[index + 2] = following
  }
}
