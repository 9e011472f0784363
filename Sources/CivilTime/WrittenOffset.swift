/// A UTC offset in place of a zone's name, such as "GMT+2", "UTC+05:30", "+02:00" or "Z-8".
///
/// Similar names of the tz database have the opposite sign: "Etc/GMT+2" is two hours behind UTC, as
/// in POSIX.
struct WrittenOffset {
  /// Whether local time is ahead of UTC.
  private let isAhead: Bool
  private let hours: Int
  private let minutes: Int

  private static let prefixes = ["etc/gmt", "etc/utc", "gmt", "utc", "ut", "z", ""]

  /// Returns nil if the text is not an offset.
  init?(_ text: String) {
    guard text.utf8.count <= 16 else { return nil }
    let folded = text.lowercased().filter { $0 != " " }
    guard let sign = folded.firstIndex(where: { "+-\u{2212}".contains($0) }),
      Self.prefixes.contains(String(folded[..<sign])),
      let (hours, minutes) = Self.time(folded[folded.index(after: sign)...])
    else { return nil }
    isAhead = folded[sign] == "+"
    (self.hours, self.minutes) = (hours, minutes)
  }

  /// Parses "2", "02", "0530" or "5:30".
  private static func time(_ text: Substring) -> (hours: Int, minutes: Int)? {
    let digits = text.filter { $0 != ":" }
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let minutes = digits.utf8.count > 2 ? digits.suffix(2) : ""
    let hours = digits.dropLast(minutes.count)
    let isComplete = text == digits || !minutes.isEmpty && text == "\(hours):\(minutes)"
    guard isComplete, (1...2).contains(hours.count) else { return nil }
    return (Int(hours) ?? 0, Int(minutes) ?? 0)
  }

  /// The last clause of an error message, with the names to use instead.
  var advice: String {
    let cityAdvice = "give a name such as \"Europe/Berlin\", which has daylight saving time"
    guard let name else { return cityAdvice }
    return cityAdvice + ", or \"\(name)\", which always has this offset"
  }

  /// The name of the zone that always has this offset; nil if there is none.
  private var name: String? {
    guard minutes == 0, hours <= (isAhead ? 14 : 12) else { return nil }
    return hours == 0 ? "UTC" : "Etc/GMT\(isAhead ? "-" : "+")\(hours)"
  }
}
