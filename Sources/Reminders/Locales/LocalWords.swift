package import CivilTime

/// The names of days and months, and the formats of dates and times, in one language.
package final class LocalWords: Sendable {
  private enum Piece {
    case literal(String)
    case day, month, year
    /// The hour from 00 to 23, with two digits.
    case paddedHour
    /// The hour from 0 to 23.
    case hour
    /// The hour from 1 to 12.
    case hour12
    case minute
    /// The word for AM or PM.
    case amPM
  }

  /// The names of the days from Monday on.
  private let weekdays: [String]
  /// The names of the months in the form that a date requires.
  private let months: [String]
  /// The format of a date.
  private let datePieces: [Piece]
  /// The format of a time of day.
  private let timePieces: [Piece]
  /// The words for AM and PM; empty for a 24-hour clock.
  private let amPMWords: [String]

  private init(patterns: [String], weekdays: [String], months: [String]) {
    self.weekdays = weekdays
    self.months = months
    datePieces = Self.pieces(patterns[0])
    timePieces = Self.pieces(patterns[1])
    amPMWords = Array(patterns.dropFirst(2))
  }

  package func weekday(_ date: LocalDate) -> String { weekday(date.weekday) }

  func weekday(_ day: Weekday) -> String { weekdays[day.rawValue - 1] }

  package func date(_ date: LocalDate) -> String {
    let (year, month, day) = date.yearMonthDay
    return text(datePieces) { piece in
      switch piece {
      case .day: "\(day)"
      case .month: months[month - 1]
      case .year: "\(year)"
      default: ""
      }
    }
  }

  package func time(_ time: LocalTime) -> String {
    text(timePieces) { piece in
      switch piece {
      case .paddedHour: String("\(time)".prefix(2))
      case .hour: "\(time.hour)"
      case .hour12: "\(time.hour % 12 == 0 ? 12 : time.hour % 12)"
      case .minute: String("\(time)".suffix(2))
      case .amPM: amPMWords.isEmpty ? "" : amPMWords[time.hour < 12 ? 0 : 1]
      default: ""
      }
    }
  }

  private func text(_ pieces: [Piece], _ write: (Piece) -> String) -> String {
    pieces.reduce(into: "") { text, piece in
      if case .literal(let literal) = piece { text += literal } else { text += write(piece) }
    }
  }

  // MARK: - Known languages

  package static let english = LocalWords(
    patterns: ["{month} {day}, {year}", "{h}:{mm} {a}", "AM", "PM"],
    weekdays: [
      "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ],
    months: [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ])

  /// Returns the words of a language, or of its nearest parent.
  package static func of(_ language: LanguageTag) -> LocalWords? {
    language.lookup { all[$0.description] }
  }

  /// The words by language tag, in lower case.
  package static let all: [String: LocalWords] = read(table)

  private static func read(_ table: String) -> [String: LocalWords] {
    var all: [String: LocalWords] = [:]
    var lines = table.split(separator: "\n")[...]
    while let line = lines.popFirst() {
      let tags = line.split(separator: "=").map { String($0).trimmed }
      if tags.count == 2 {
        all[tags[0]] = all[tags[1]]
        continue
      }
      let fields = line.split(separator: "|").map { String($0).trimmed }
      let weekdays = lines.popFirst().map(words) ?? []
      let months = (0..<2).flatMap { _ in lines.popFirst().map(words) ?? [] }
      guard fields.count >= 3, weekdays.count == 7, months.count == 12 else { continue }
      all[fields[0]] = LocalWords(
        patterns: Array(fields.dropFirst()), weekdays: weekdays, months: months)
    }
    return all
  }

  private static func words(_ line: Substring) -> [String] {
    line.split(separator: " ").map { String($0).replacing("_", with: " ") }
  }

  private static let pieceNames: [Substring: Piece] = [
    "day": .day, "month": .month, "year": .year, "HH": .paddedHour, "H": .hour,
    "h": .hour12, "mm": .minute, "a": .amPM,
  ]

  private static func pieces(_ pattern: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      pieces.append(.literal(String(rest[..<open])))
      if let piece = pieceNames[rest[rest.index(after: open)..<close]] { pieces.append(piece) }
      rest = rest[rest.index(after: close)...]
    }
    return pieces + [.literal(String(rest))]
  }
}
