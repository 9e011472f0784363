import CivilTime

/// A language's words for the distance to an instant, from the relative times of the Unicode CLDR.
struct RelativeWords: Sendable {
  private let now: String
  private let today: String
  private let tomorrow: String
  private let yesterday: String
  /// A pattern such as "on {date}".
  private let onDate: String
  /// One pattern such as "on {weekday}", or seven texts from Monday on.
  private let onWeekday: [String]
  private let minutesAhead: PluralForms
  private let hoursAhead: PluralForms
  private let minutesAgo: PluralForms
  private let hoursAgo: PluralForms
  private let daysAgo: PluralForms

  /// - Parameters:
  ///   - weekday: returns the name of a day of the week.
  ///   - date: returns the text of a date.
  func text(
    _ time: RelativeTime, weekday: (LocalDate) -> String, date: (LocalDate) -> String
  ) -> String {
    switch time {
    case .thisMinute: now
    case .today: today
    case .tomorrow: tomorrow
    case .yesterday: yesterday
    case .minutes(let count): Self.text(count, count < 0 ? minutesAgo : minutesAhead)
    case .hours(let count): Self.text(count, count < 0 ? hoursAgo : hoursAhead)
    case .daysAgo(let count): Self.text(count, daysAgo)
    case .date(let day): onDate.replacing("{date}", with: date(day))
    case .weekday(let day):
      onWeekday.count == 7
        ? onWeekday[day.weekday.rawValue - 1]
        : onWeekday[0].replacing("{weekday}", with: weekday(day))
    }
  }

  private static func text(_ count: Int, _ forms: PluralForms) -> String {
    let number = LocalNumber(Int64(count.magnitude))
    return forms.text(of: number.operands, written: number.text())
  }

  // MARK: - Known languages

  /// Returns the words of a language, or of its nearest parent.
  static func of(_ language: LanguageTag) -> RelativeWords? {
    language.lookup { all[$0.description] }
  }

  private static let all: [String: RelativeWords] = read(table)

  /// Reads the table. A language has a line of fields and six lines of patterns. A line such as "no
  /// = nb" gives a language the words of an earlier one.
  private static func read(_ table: String) -> [String: RelativeWords] {
    var all: [String: RelativeWords] = [:]
    var lines = table.split(separator: "\n")[...]
    while let line = lines.popFirst() {
      let languages = line.split(separator: "=").map { String($0).trimmed }
      if languages.count == 2 {
        all[languages[0]] = all[languages[1]]
        continue
      }
      let fields = line.split(separator: "|").map { String($0).trimmed }
      let patternLines = (0..<6).compactMap { _ in lines.popFirst() }
      guard let tag = LanguageTag(fields[0]) else { continue }
      all[fields[0]] = RelativeWords(tag, fields, patternLines)
    }
    return all
  }

  private init?(_ language: LanguageTag, _ fields: [String], _ lines: [Substring]) {
    guard fields.count == 6, lines.count == 6, let rule = PluralRule(language) else { return nil }
    (now, today, tomorrow, yesterday) = (fields[1], fields[2], fields[3], fields[4])
    onDate = fields[5]
    onWeekday =
      lines[0].contains("{weekday}")
      ? [String(lines[0])]
      : lines[0].split(separator: " ").map { String($0).replacing("_", with: " ") }
    let forms = lines.dropFirst().map { PluralForms(rule: rule, forms: Self.forms($0)) }
    (minutesAhead, hoursAhead) = (forms[0], forms[1])
    (minutesAgo, hoursAgo, daysAgo) = (forms[2], forms[3], forms[4])
  }

  /// Reads "one: in # hour | other: in # hours", or one form for all numbers.
  private static func forms(_ line: Substring) -> [PluralCategory: String] {
    var forms: [PluralCategory: String] = [:]
    for part in line.split(separator: "|") {
      let words = part.split(separator: ":", maxSplits: 1).map { String($0).trimmed }
      guard words.count == 2, let category = PluralCategory(rawValue: words[0]) else {
        return [.other: String(line).trimmed]
      }
      forms[category] = words[1]
    }
    return forms
  }
}
