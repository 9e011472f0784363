/// A signed duration in milliseconds. A day is always 24 hours; for calendar days, whose length
/// changes with the clocks, use ``LocalDate``.
package struct TimeSpan: Hashable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static let zero = TimeSpan(milliseconds: 0)

  package static func milliseconds(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count))
  }

  /// Returns a span of `count` seconds. Like the functions for other units, it traps if the
  /// milliseconds exceed 64 bits, at 292 million years.
  package static func seconds(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 1_000)
  }

  package static func minutes(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 60_000)
  }

  package static func hours(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 3_600_000)
  }

  package static func days(_ count: Int) -> TimeSpan {
    TimeSpan(milliseconds: Int64(count) * 86_400_000)
  }

  package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: left.milliseconds + right.milliseconds)
  }

  package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: left.milliseconds - right.milliseconds)
  }

  package static prefix func - (span: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: -span.milliseconds)
  }

  package static func * (span: TimeSpan, factor: Int) -> TimeSpan {
    TimeSpan(milliseconds: span.milliseconds * Int64(factor))
  }
}

extension TimeSpan: Comparable {
  package static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension TimeSpan: LosslessStringConvertible {
  /// The longest span that is parsed: 9999 years of 366 days. Adding it to a parsed instant cannot
  /// overflow.
  package static let longest = TimeSpan.days(9_999 * 366)

  /// Parses "500ms", "1s", "15m", "12h", "3d", "2w", several of these from the longest unit to the
  /// shortest ("1d 12h", "1h30m"), or an ISO 8601 duration without years and months ("PT15M",
  /// "P3D", "PT1H30M", "PT0.5S"). Returns nil for any other text, for a text with a sign, and for a
  /// span longer than ``longest``.
  package init?(_ text: String) {
    var reader = TimeSpanReader(text)
    guard let milliseconds = reader.read(), milliseconds <= Self.longest.milliseconds else {
      return nil
    }
    self.init(milliseconds: milliseconds)
  }

  /// The catalog's form: days, hours, minutes, seconds and milliseconds without zero units, such as
  /// "1d 12h"; "0s" for zero, and "-" before a negative span.
  package var description: String {
    guard milliseconds != 0 else { return "0s" }
    var rest = milliseconds.magnitude
    var parts: [String] = []
    for unit in Self.writtenUnits where rest >= unit.milliseconds {
      parts.append("\(rest / unit.milliseconds)\(unit.symbol)")
      rest %= unit.milliseconds
    }
    return (milliseconds < 0 ? "-" : "") + parts.joined(separator: " ")
  }

  private static let writtenUnits: [(symbol: String, milliseconds: UInt64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]
}

extension TimeSpan {
  /// An ISO 8601 duration in days, hours, minutes and seconds, such as "PT15M" or "P1DT12H";
  /// "PT0S" for a negative span.
  package var iso8601: String {
    let (days, rest) = max(0, milliseconds).quotientAndRemainder(dividingBy: 86_400_000)
    let seconds = rest / 1_000
    var time = ""
    if seconds >= 3_600 { time += "\(seconds / 3_600)H" }
    if seconds / 60 % 60 > 0 { time += "\(seconds / 60 % 60)M" }
    let fraction = rest % 1_000 == 0 ? "" : "." + Digits.padded(Int(rest % 1_000), to: 3)
    if seconds % 60 > 0 || !fraction.isEmpty { time += "\(seconds % 60)\(fraction)S" }
    guard days > 0 || !time.isEmpty else { return "PT0S" }
    return "P" + (days > 0 ? "\(days)D" : "") + (time.isEmpty ? "" : "T" + time)
  }
}
