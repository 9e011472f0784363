/// The languages in which a reminder has no text, although another reminder of the catalogs has
/// one. Recipients with such a language get the text in the catalog's own language (rule G4).
package struct MissingTexts: Hashable, Sendable, CustomStringConvertible {
  package let reminder: String
  package let languages: [LanguageTag]
  /// The language of the text that recipients get instead.
  package let substitute: LanguageTag

  package var description: String {
    let names = languages.map(\.description).joined(separator: " or ")
    return "the reminder \"\(reminder)\" has no text in \(names); "
      + "recipients get it in \(substitute)"
  }
}

extension Catalog {
  /// The reminders with missing texts, in the order of the catalog.
  package var missingTexts: [MissingTexts] {
    let usedLanguages = Set(reminders.flatMap { $0.messages.flatMap(\.languages) })
    return reminders.compactMap { reminder in
      // A repetition has the texts of its reminder.
      let repeatedReminder = reminder.repeated.flatMap { self.reminder($0) }
      let isRepetition = repeatedReminder?.messages == reminder.messages
      let missing = usedLanguages.filter { language in
        reminder.messages.contains { !$0.has(language) }
      }
      // The texts of a message to other people are examined in the reminder that these people get.
      guard !isRepetition, reminder.relay == nil, !missing.isEmpty,
        let first = reminder.messages.first
      else { return nil }
      return MissingTexts(
        reminder: reminder.identifier,
        languages: missing.sorted { $0.description < $1.description }, substitute: first.language)
    }
  }
}

extension MessageTemplate {
  fileprivate var languages: [LanguageTag] { [language] + translations.map(\.language) }

  fileprivate func has(_ language: LanguageTag) -> Bool {
    language.lookup { languages.contains($0) ? true : nil } ?? false
  }
}
