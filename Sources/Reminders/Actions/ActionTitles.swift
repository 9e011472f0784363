/// The title of an action in one or several languages.
package struct ActionTitles: Hashable, Sendable {
  /// The language of the title for recipients whose own language has none.
  let language: LanguageTag
  /// The titles by language.
  let texts: [LanguageTag: String]

  /// The titles of a snooze for which the catalog has no title.
  static let snoozeDefault = ActionTitles(
    language: .english,
    texts: ["en": "Remind me later", "de": "Später erinnern", "ar": "ذكّرني لاحقًا"]
      .reduce(into: [:]) { texts, entry in
        if let language = LanguageTag(entry.key) { texts[language] = entry.value }
      })

  /// Returns the title in a recipient's language or its nearest parent, or else in the catalog's
  /// language.
  package func title(in locale: String?) -> String {
    locale.flatMap { LanguageTag($0) }?.lookup { texts[$0] } ?? texts[language] ?? ""
  }
}
