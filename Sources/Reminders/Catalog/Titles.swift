/// What categories, groups, their parameters and choices are called on a page of settings, in each
/// language that a catalog has (rule G4).
package struct Titles: Sendable {
  package struct Title: Hashable, Sendable {
    package var title: String
    /// What stands beneath it.
    package var description: String?

    package init(title: String, description: String? = nil) {
      (self.title, self.description) = (title, description)
    }
  }

  /// By language, then by place in the preferences.
  private var titles: [LanguageTag: [String: Title]] = [:]
  /// Those in the language of the catalog that declares what they are of.
  private var own: [String: Title] = [:]

  package init() {}

  /// What is called so first stays so: catalogs may share what they declare.
  mutating func add(_ title: Title, of path: String, in language: LanguageTag, isOwn: Bool) {
    if titles[language]?[path] == nil { titles[language, default: [:]][path] = title }
    if isOwn, own[path] == nil { own[path] = title }
  }

  /// What something is called in a language or the nearest that stands in for it, or else in its
  /// catalog's own.
  ///
  /// - Parameter path: its place in the preferences, such as `categories.LESSON`,
  ///   `reminders.tips.time` or, of a choice, `reminders.content.frequency.daily`.
  package func title(of path: String, in language: LanguageTag?) -> Title? {
    language?.lookup { titles[$0]?[path] } ?? own[path]
  }

  /// Whether a language itself has a title.
  package func has(_ path: String, in language: LanguageTag) -> Bool {
    titles[language]?[path] != nil
  }
}

extension Catalog {
  /// The places in the preferences of all that has a title, but for the built-in settings.
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
  /// What there is to choose from.
  package var words: [String] {
    switch self {
    case .choice(let words), .selection(let words): words
    default: []
    }
  }
}
