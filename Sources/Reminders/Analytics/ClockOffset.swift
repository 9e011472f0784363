package import CivilTime

/// The offset of a recipient's zone from UTC at an instant, in quarters of an hour. The current
/// offsets of all zones are whole quarters. Code that does not have the zone computes local hours
/// from this offset.
package struct ClockOffset: Hashable, Sendable {
  /// The length of a quarter in seconds.
  private static let quarter = 900
  /// The number that is added to an offset to get its code. It makes each code positive and below
  /// 128.
  private static let bias = 64

  private let quarters: Int

  package init(_ zone: Zone, at instant: Instant) {
    quarters = zone.offsetSeconds(at: instant) / Self.quarter
  }

  /// Returns nil for the code 0, which means an unknown offset, and for invalid codes.
  package init?(code: Int64) {
    guard (1..<128).contains(code) else { return nil }
    quarters = Int(code) - Self.bias
  }

  /// The stored form of the offset. Never change the meaning of a code.
  package var code: Int64 { Int64(quarters + Self.bias) }

  fileprivate var milliseconds: Int64 { Int64(quarters * Self.quarter) * 1_000 }
}

extension LocalHour {
  private static let millisecondsPerDay: Int64 = 86_400_000

  package init(_ instant: Instant, _ offset: ClockOffset) {
    let local = instant.milliseconds + offset.milliseconds
    let sinceMidnight = local.remainder(of: Self.millisecondsPerDay)
    let days = (local - sinceMidnight) / Self.millisecondsPerDay
    self.init(date: LocalDate(daysSinceEpoch: Int(days)), hour: Int(sinceMidnight / 3_600_000))
  }
}

extension Int64 {
  /// Returns the remainder of a division that rounds down. The remainder is never below 0.
  fileprivate func remainder(of divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
