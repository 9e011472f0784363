extension TimeSpan: LosslessStringConvertible {
  /// The longest span that text can give: 9999 years of 366 days, so that adding a span from
  /// text to an instant from text cannot overflow.
  package static let longest = TimeSpan.days(9_999 * 366)

  /// Reads "500ms", "1s", "15m", "12h", "3d", "2w", several of these from the longest unit to
  /// the shortest ("1d 12h", "1h30m"), or an ISO 8601 duration without years and months
  /// ("PT15M", "P3D", "PT1H30M", "PT0.5S"). Nil for anything else, for signs, and for more than
  /// ``longest``.
  package init?(_ text: String) {
    var reader = TimeSpanReader(text)
    guard let milliseconds = reader.read(), milliseconds <= Self.longest.milliseconds else {
      return nil
    }
    self.init(milliseconds: milliseconds)
  }

  /// As in a catalog: days, hours, minutes, seconds and milliseconds, those that are zero left
  /// out, such as "1d 12h"; "0s" for nothing, and "-" before a negative span.
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
  /// As an ISO 8601 duration of days and times, such as "PT15M" or "P1DT12H"; what is negative
  /// counts as nothing.
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
