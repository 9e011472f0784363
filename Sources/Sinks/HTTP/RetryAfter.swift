package import CivilTime

/// How long the other side asks to be left alone, by seconds or by a date (RFC 9110, section
/// 10.2.3).
package enum RetryAfter {
  /// Who asks for more is asked again after a day.
  private static let spanMax = TimeSpan.hours(24)

  /// - Parameter text: the field's value.
  /// - Returns: none to a day; nil if it says nothing that can be understood.
  package static func span(_ text: String, now: Instant) -> TimeSpan? {
    let text = text.drop { " \t".contains($0) }
    let end = text.lastIndex { !" \t".contains($0) }.map(text.index(after:)) ?? text.startIndex
    let value = String(text[..<end])
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Of digits that are too many, each is one more reason to wait.
      return Int(value).map { min(.seconds(min($0, 86_400)), spanMax) } ?? spanMax
    }
    guard let date = Instant(httpDate: value) else { return nil }
    return min(max(date - now, .zero), spanMax)
  }
}
