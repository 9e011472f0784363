import CivilTime

/// The value that an author probably meant by an invalid text.
enum MeantValue {
  /// Returns `; did you mean "08:00"?` for the first kind of value that a text resembles: a time, a
  /// day of the week or a duration. The result is empty if the text resembles none of them.
  static func hint(_ text: String) -> String {
    if let time = time(text) { return question("\(time)") }
    if let day = day(text) { return "; did you mean [\(day)]?" }
    return span(text).map { question("\($0)") } ?? ""
  }

  static func question(_ value: String) -> String { "; did you mean \"\(value)\"?" }

  // MARK: - Times of day

  /// Returns the time that `8:00`, `8.30`, `9am`, `12:15 p.m.`, `24:00`, `18 Uhr` or `noon` means.
  static func time(_ text: String) -> LocalTime? {
    let text = text.lowercased().trimmed
    if let time = namedTimes[text] ?? nil { return time }
    let digits = text.prefix { $0.isNumber || $0 == ":" || $0 == "." }
    let suffix = text.dropFirst(digits.count).filter { $0 != " " && $0 != "." }
    let numbers = digits.split(whereSeparator: { $0 == ":" || $0 == "." })
    guard (1...3).contains(numbers.count), numbers[0].count <= 2,
      numbers.dropFirst().allSatisfy({ $0.count == 2 }), numbers.count > 1 || !suffix.isEmpty,
      let hour = Int(numbers[0])
    else { return nil }
    let minute = numbers.count > 1 ? Int(numbers[1]) ?? 60 : 0
    switch suffix {
    case "am": return (1...12).contains(hour) ? LocalTime(hour: hour % 12, minute: minute) : nil
    case "pm":
      return (1...12).contains(hour) ? LocalTime(hour: hour % 12 + 12, minute: minute) : nil
    case "" where hour == 24 && minute == 0: return .midnight
    case "", "uhr", "oclock", "o'clock": return LocalTime(hour: hour, minute: minute)
    default: return nil
    }
  }

  private static let namedTimes: [String: LocalTime?] = [
    "midnight": .midnight, "mitternacht": .midnight, "noon": LocalTime(hour: 12, minute: 0),
    "midday": LocalTime(hour: 12, minute: 0), "mittag": LocalTime(hour: 12, minute: 0),
  ]

  // MARK: - Days of the week

  /// Returns the day that a name means in the first language in which it means exactly one. Returns
  /// nil if there is no such language. The name may be cut after two or more letters. English and
  /// German precede other languages.
  static func day(_ text: String) -> Weekday? {
    let text = text.lowercased().trimmed.filter { $0 != "." }
    guard text.count > 1 else { return nil }
    for words in languages {
      let days = Weekday.allCases.filter { words.name(of: $0).hasPrefix(text) }
      if days.count == 1 { return days[0] }
    }
    return nil
  }

  private static let languages: [LocalWords] =
    [LocalWords.english, LocalWords.all["de"]].compactMap(\.self)
    + LocalWords.all.sorted { $0.key < $1.key }.map(\.value)

  // MARK: - Durations

  /// Returns the duration that `1 day`, `30 min`, `2 Stunden` or `2 weeks` means.
  static func span(_ text: String) -> TimeSpan? {
    let text = text.lowercased().trimmed
    let digits = text.prefix(while: \.isNumber)
    let word = text.dropFirst(digits.count).filter { $0 != " " && $0 != "." }
    let unit = units.first { $0.words.contains { word == $0 } }
    guard let count = Int64(digits), let unit else { return nil }
    return TimeSpan("\(count)\(unit.symbol)")
  }

  private static let units: [(symbol: String, words: [String])] = [
    ("ms", ["millisecond", "milliseconds", "msec"]),
    ("s", ["sec", "secs", "second", "seconds", "sekunde", "sekunden"]),
    ("m", ["min", "mins", "minute", "minutes", "minuten"]),
    ("h", ["hr", "hrs", "hour", "hours", "std", "stunde", "stunden"]),
    ("d", ["day", "days", "tag", "tage", "tagen"]),
    ("w", ["wk", "week", "weeks", "woche", "wochen"]),
  ]
}

extension LocalWords {
  fileprivate func name(of day: Weekday) -> String { weekday(day).lowercased() }
}
