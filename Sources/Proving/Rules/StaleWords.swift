import CivilTime
import Reminders

/// Words in fixed texts that are true only on one date, such as "tomorrow".
struct StaleWords: Sendable {
  struct Word: Hashable, Sendable {
    let text: String
    /// The number of local dates from the date of sending to the date of the instant.
    let days: Int
  }

  /// The words for tomorrow and today, by each language in which the catalog has texts.
  private let words: [LanguageTag: [Word]]

  /// - Parameter zone: any zone; only distances in it matter.
  init(_ declarations: Declarations, zone: Zone) {
    let languages = declarations.catalog.languages(of: declarations.reminders.map(\.reminder))
    words = Dictionary(
      languages.map { ($0, Self.words(in: $0, zone)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the word for tomorrow, as `{{until}}` writes it, and the word for today.
  private static func words(in language: LanguageTag, _ zone: Zone) -> [Word] {
    let tomorrow =
      distance(of: .days(1), in: language, zone).map { [Word(text: $0, days: 1)] } ?? []
    let today = todays[String(language.language)].map { [Word(text: $0, days: 0)] } ?? []
    return tomorrow + today
  }

  /// The word for today, by the code of its language.
  private static let todays = ["en": "today", "de": "heute", "ar": "اليوم", "fr": "aujourd’hui"]

  /// Returns the words for a distance; nil if they contain a number, as dates do.
  private static func distance(
    of span: TimeSpan, in language: LanguageTag, _ zone: Zone
  ) -> String? {
    let noon = zone.instant(of: LocalDate(daysSinceEpoch: 20_465), at: .midnight) + .hours(12)
    let text = Template([.distance]).text(
      number: nil, wording: Wording(textIn: language, readIn: language),
      time: SendingTime(now: noon, zone: zone, subject: noon + span))
    return text.isEmpty || text.contains(where: \.isNumber) ? nil : text
  }

  /// Returns the words in the fixed parts of a message's texts in a language.
  func words(in message: MessageTemplate.Translation) -> [Word] {
    let literals = (message.title.segments + message.body.segments).compactMap { segment in
      if case .literal(let text) = segment { text.lowercased() } else { nil }
    }
    return (words[message.language] ?? []).filter { word in
      literals.contains { $0.hasWord(word.text.lowercased()) }
    }
  }
}

extension String {
  /// Returns whether the text contains a word that no letter precedes or follows.
  fileprivate func hasWord(_ word: String) -> Bool {
    ranges(of: word).contains { range in
      let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
      let after = range.upperBound < endIndex ? self[range.upperBound] : " "
      return !before.isLetter && !after.isLetter
    }
  }
}
