import CivilTime

/// The format of dates, times and numbers in a text. If the text is in the reader's language, the
/// reader's locale defines the format. Otherwise the format is ISO 8601, and days of the week are
/// in the text's language.
package struct Wording: Sendable {
  /// The words and formats of the reader's locale; nil for the formats of ISO 8601.
  private let words: LocalWords?
  /// The words for days of the week.
  private let weekdays: LocalWords
  /// The language of the text.
  let language: LanguageTag
  /// The reader's locale; nil unless the text is in its language and its words are known.
  private let locale: LanguageTag?
  /// The calendar of the reader's locale; nil for the Gregorian one.
  private let calendar: CalendarSystem?
  /// The reader's name; nil if it is unknown.
  let name: String?

  /// English with the formats of ISO 8601, for texts without dates, times and names.
  package static let neutral = Wording(textIn: .english, readIn: nil)

  package init(textIn language: LanguageTag, readIn locale: LanguageTag?, name: String? = nil) {
    let matchingLocale = locale.flatMap { $0.language == language.language ? $0 : nil }
    words = matchingLocale.flatMap { LocalWords.of($0) }
    weekdays = words ?? LocalWords.of(language) ?? .english
    self.language = language
    self.locale = words == nil ? nil : matchingLocale
    calendar = matchingLocale?.calendar
    self.name = name
  }

  func date(_ date: LocalDate) -> String {
    calendar.map { self.date(date, in: $0) } ?? gregorian(date)
  }

  private func gregorian(_ date: LocalDate) -> String { words?.date(date) ?? "\(date)" }

  /// Returns a date in a calendar; in the Gregorian one if the calendar does not know it. In a
  /// language without words for the calendar, its English words are used.
  func date(_ date: LocalDate, in calendar: CalendarSystem) -> String {
    let words = CalendarWords.of(calendar, in: locale ?? language) ?? .english(calendar)
    return words.date(date) ?? gregorian(date)
  }

  func time(_ time: LocalTime) -> String { words?.time(time) ?? "\(time)" }
  func weekday(_ date: LocalDate) -> String { weekdays.weekday(date) }

  /// Returns a date with the day of the week, as in the CLDR's full dates.
  func longDate(_ date: LocalDate) -> String {
    let pattern = locale.flatMap { Self.longDates[String($0.language)] } ?? "{weekday}, {date}"
    return pattern.replacing("{weekday}", with: weekday(date))
      .replacing("{date}", with: self.date(date))
  }

  /// Returns the distance of an instant from the instant of sending, such as "tomorrow". For a
  /// language whose words for distances are unknown, returns the date and time.
  func distance(to instant: Instant, _ time: SendingTime) -> String {
    guard let words = RelativeWords.of(locale ?? language) else {
      let local = time.zone.local(at: instant)
      return date(local.date) + " " + self.time(local.time)
    }
    let distance = RelativeTime(to: instant, from: time.now, in: time.zone)
    return words.text(distance, weekday: weekday, date: date)
  }

  /// Returns a name or a text between isolate characters (Unicode, annex 9) if the text around it
  /// runs from right to left. Returns a text unchanged if it is already between isolate characters,
  /// or has only digits.
  func isolated(_ text: String) -> String {
    let (first, last): (Unicode.Scalar, Unicode.Scalar) = ("\u{2068}", "\u{2069}")
    guard language.isRightToLeft, let start = text.unicodeScalars.first,
      !text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return text }
    let isIsolated = ("\u{2066}"..."\u{2068}").contains(start) && text.unicodeScalars.last == last
    return isIsolated ? text : "\(first)\(text)\(last)"
  }

  func number(_ number: LocalNumber) -> String {
    number.text(decimalSign: locale?.decimalSign ?? ".")
  }

  /// Returns a list such as "20 photos, 3 videos and a note".
  func list(_ elements: [String]) -> String {
    guard elements.count > 1, let last = elements.last else { return elements.first ?? "" }
    return elements.dropLast().joined(separator: language.comma)
      + (language.conjunction ?? language.comma) + last
  }

  /// The patterns of the languages that do not use "{weekday}, {date}".
  private static let longDates: [String: String] = [
    "ar": "{weekday}، {date}", "cs": "{weekday} {date}", "da": "{weekday} den {date}",
    "fi": "{weekday} {date}", "fr": "{weekday} {date}", "hu": "{date}, {weekday}",
    "it": "{weekday} {date}", "ja": "{date}{weekday}", "ko": "{date} {weekday}",
    "lt": "{date}, {weekday}", "nb": "{weekday} {date}", "nl": "{weekday} {date}",
    "nn": "{weekday} {date}", "no": "{weekday} {date}", "sk": "{weekday} {date}",
    "sv": "{weekday} {date}", "th": "{weekday}ที่ {date}", "tr": "{date} {weekday}",
    "ur": "{weekday}، {date}", "zh": "{date}{weekday}",
  ]
}

extension LanguageTag {
  fileprivate var comma: String {
    switch language {
    case "ar", "ur": "، "
    case "ja", "zh": "、"
    default: ", "
    }
  }
}
