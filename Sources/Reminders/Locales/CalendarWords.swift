import CivilTime

/// The names of the months of a calendar, and the format of its dates, in one language.
struct CalendarWords: Sendable {
  let calendar: CalendarSystem
  private let pattern: String
  private let months: [String]

  /// Returns the text of a date; nil if the calendar does not know it.
  func date(_ date: LocalDate) -> String? {
    guard let day = calendar.day(of: date) else { return nil }
    let isSecondAdar = day.month == 7 && calendar.isHebrewLeap(day.year)
    let index = isSecondAdar ? months.count - 1 : day.month - 1
    guard months.indices.contains(index) else { return nil }
    return pattern.replacing("{day}", with: "\(day.day)")
      .replacing("{month}", with: months[index])
      .replacing("{year}", with: "\(day.year)")
  }

  /// Returns the words of a calendar in a language, or in its nearest parent; nil if they are not
  /// known.
  static func of(_ calendar: CalendarSystem, in language: LanguageTag) -> CalendarWords? {
    language.lookup { all["\(calendar.rawValue) \($0)"] }
  }

  static func english(_ calendar: CalendarSystem) -> CalendarWords {
    of(calendar, in: .english) ?? CalendarWords(calendar: calendar, pattern: "", months: [])
  }

  /// The words by calendar and language tag.
  private static let all: [String: CalendarWords] = {
    var all: [String: CalendarWords] = [:]
    var lines = table.split(separator: "\n")[...]
    while let line = lines.popFirst() {
      let fields = line.split(separator: "|").map { String($0).trimmed }
      let name = fields[0].split(separator: " ")
      let months = (0..<2).flatMap { _ in lines.popFirst()?.split(separator: " ") ?? [] }
      guard fields.count == 2,
        let calendar = name.first.flatMap({ CalendarSystem(rawValue: String($0)) })
      else { continue }
      all[fields[0]] = CalendarWords(
        calendar: calendar, pattern: fields[1],
        months: months.map { String($0).replacing("_", with: " ") })
    }
    return all
  }()
}

extension LanguageTag {
  /// The calendar of the Unicode extension `u-ca`, as in `ar-SA-u-ca-islamic-umalqura`; nil for the
  /// Gregorian one and for calendars that are not known.
  var calendar: CalendarSystem? {
    let subtags = description.split(separator: "-")
    guard let extensionStart = subtags.firstIndex(of: "u"),
      let key = subtags[extensionStart...].firstIndex(of: "ca")
    else { return nil }
    let name = subtags[(key + 1)...].prefix { $0.utf8.count > 2 }.joined(separator: "-")
    return CalendarSystem(rawValue: name)
  }
}
