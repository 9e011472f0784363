package import CivilTime

/// How far a person's clock was ahead of UTC at an instant, in quarters of an hour: all zones of
/// today have whole ones. So the hour of the day is known where the person is not at hand.
package struct ClockOffset: Hashable, Sendable {
  private static let quarter = 900
  /// Keeps the code of every offset above 0, and below 128.
  private static let bias = 64

  private let quarters: Int

  package init(_ zone: Zone, at instant: Instant) {
    quarters = zone.offsetSeconds(at: instant) / Self.quarter
  }

  /// Nil for 0, which stands for one that is not known.
  package init?(code: Int64) {
    guard (1..<128).contains(code) else { return nil }
    quarters = Int(code) - Self.bias
  }

  /// Is stored: never change what a code means.
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
  /// Of a division that rounds down: never below 0.
  fileprivate func remainder(of divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
