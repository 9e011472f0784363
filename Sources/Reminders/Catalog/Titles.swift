/// The titles of categories, groups, parameters and choices on a settings page, in each language of
/// a catalog (rule G4).
package struct Titles: Sendable {
  package struct Title: Hashable, Sendable {
    /// The text of the title.
    package var title: String
    /// The text below the title.
    package var description: String?

    package init(title: String, description: String? = nil) {
      (self.title, self.description) = (title, description)
    }
  }

  /// The titles by language and preferences path.
  private var titles: [LanguageTag: [String: Title]] = [:]
  /// The titles in the language of the catalog that declares the item, by path.
  private var ownTitles: [String: Title] = [:]

  package init() {}

  /// Adds a title. If an earlier catalog gave the item a title in this language, that title stays.
  ///
  /// - Parameter isOwn: whether the language is that of the catalog.
  mutating func add(_ title: Title, of path: String, in language: LanguageTag, isOwn: Bool) {
    if titles[language]?[path] == nil { titles[language, default: [:]][path] = title }
    if isOwn, ownTitles[path] == nil { ownTitles[path] = title }
  }

  /// Returns the title in a language, in its nearest fallback, or in the catalog's own language.
  ///
  /// - Parameter path: the preferences path, such as `categories.LESSON`, `reminders.tips.time`
  ///   or, for a choice, `reminders.content.frequency.daily`.
  package func title(of path: String, in language: LanguageTag?) -> Title? {
    language?.lookup { titles[$0]?[path] } ?? ownTitles[path]
  }

  /// Returns whether an item has a title in exactly this language.
  package func has(_ path: String, in language: LanguageTag) -> Bool {
    titles[language]?[path] != nil
  }
}

extension Catalog {
  /// The preferences paths of all items that may have a title, except built-in settings.
  package var titledPaths: [String] {
    var paths = categories.map { "categories.\($0.name)" }
    for definition in settings.definitions where definition.path.hasPrefix("reminders.") {
      let path = definition.path
      guard !path.hasSuffix(".enabled") else {
        paths.append(String(path.dropLast(".enabled".utf8.count)))
        continue
      }
      paths.append(path)
      paths += definition.kind.words.map { "\(path).\($0)" }
    }
    return paths
  }
}

extension SettingKind {
  /// The words of a choice or selection; empty for other kinds.
  package var words: [String] {
    switch self {
    case .choice(let words), .selection(let words): words
    default: []
    }
  }
}
