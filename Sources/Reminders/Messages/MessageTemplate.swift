/// A title and a body with placeholders for an occurrence's data, in one or several languages.
package struct MessageTemplate: Hashable, Sendable {
  /// The texts in another language.
  package struct Translation: Hashable, Sendable {
    package var language: LanguageTag
    package var title: Template
    package var body: Template
    /// The text for channels that other people may see.
    package var discreet: String?
  }

  package var title: Template
  package var body: Template
  /// The text for channels that other people may see. Either all languages have one, or none.
  package var discreet: String?
  /// The message's topic, as a bit of the reminder's topics. If nil, the message is used for every
  /// choice of topics.
  package var topic: Int64?
  /// The language of `title` and `body`.
  package var language = LanguageTag.english
  package var translations: [Translation] = []

  /// Whether a placeholder names a field of an event.
  package var namesFields: Bool {
    title.namesFields || body.namesFields
      || translations.contains { $0.title.namesFields || $0.body.namesFields }
  }

  /// Whether a placeholder names the reader.
  var namesReader: Bool {
    title.namesReader || body.namesReader
      || translations.contains { $0.title.namesReader || $0.body.namesReader }
  }

  /// Whether the text depends on the distance to the subject: by its distance in words, or by a
  /// part for a subject that has passed. The distance to a field is a case of `namesFields`.
  var namesTime: Bool {
    title.namesTime || body.namesTime
      || translations.contains { $0.title.namesTime || $0.body.namesTime }
  }

  /// Whether all recipients get the same text, apart from numbers.
  var isAlikeForAll: Bool { translations.isEmpty && !namesFields && !namesReader && !namesTime }

  /// Returns the texts in the recipient's language or the nearest to it, or else in the original
  /// language of the message.
  package func words(for locale: String?) -> Translation {
    let original = Translation(language: language, title: title, body: body, discreet: discreet)
    guard let locale else { return original }
    return translations.filter { $0.language.covers(locale) }
      .max { $0.language.description.utf8.count < $1.language.description.utf8.count } ?? original
  }
}
