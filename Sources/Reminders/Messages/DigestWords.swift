import CivilTime

/// The texts of digests (rule V14): the texts from the catalogs, or else the built-in texts.
package struct DigestWords: Sendable {
  /// The texts in one language.
  struct Words: Sendable {
    var language: LanguageTag
    var title: Template
    /// The line of a member; if nil, the line is the member's title and body.
    var line: Template?
  }

  static let titlePlaceholders: [String: Template.Segment] = ["count": .number]
  static let linePlaceholders: [String: Template.Segment] = [
    "title": .field(Symbol("title"), .whole), "body": .field(Symbol("body"), .whole),
  ]

  /// The texts in each language. The first entry is in the language of the first catalog that
  /// declares texts of digests.
  private var words: [Words] = []

  /// Adds texts, unless there are texts in their language already.
  mutating func add(_ newWords: Words) {
    guard !words.contains(where: { $0.language == newWords.language }) else { return }
    words.append(newWords)
  }

  /// Returns a digest's title. It is the first of these that exists:
  ///
  /// - the catalogs' title in the recipient's language or its nearest parent;
  /// - the built-in title in that language;
  /// - the catalogs' title in the first declared language;
  /// - an English title.
  ///
  /// - Parameter count: the number of members.
  func title(_ count: Int, in locale: String?) -> String {
    if let words = declaredWords(for: locale) { return words.title(count, in: locale) }
    if let builtIn = Self.builtIn(count, in: locale) { return builtIn }
    return words.first?.title(count, in: locale) ?? "\(count) reminders"
  }

  /// Returns a member's line.
  func line(of member: Message, in locale: String?, zone: Zone) -> String {
    if let line = (declaredWords(for: locale) ?? words.first)?.line {
      return line.text(number: nil, details: Details(memberOfDigest: member, zone))
    }
    let (title, body) = (member.title, member.body)
    return title.isEmpty || body.isEmpty ? title + body : "\(title): \(body)"
  }

  /// Returns the catalogs' texts in a language or its nearest parent; nil if there are none. If the
  /// language is unknown, returns the first texts.
  private func declaredWords(for locale: String?) -> Words? {
    guard let locale else { return words.first }
    return words.filter { $0.language.covers(locale) }
      .max { $0.language.description.utf8.count < $1.language.description.utf8.count }
  }
}

extension DigestWords.Words {
  fileprivate func title(_ count: Int, in locale: String?) -> String {
    let wording = Wording(textIn: language, readIn: locale.flatMap { LanguageTag($0) })
    return title.text(number: Int64(count), wording: wording)
  }
}

extension Details {
  fileprivate init(memberOfDigest member: Message, _ zone: Zone) {
    self.init(
      values: [
        Detail(field: Symbol("title"), value: .text(member.title)),
        Detail(field: Symbol("body"), value: .text(member.body)),
      ], zone: zone)
  }
}

extension DigestWords {
  /// Returns the built-in title; nil if the language has none.
  private static func builtIn(_ count: Int, in locale: String?) -> String? {
    let language = locale.flatMap { LanguageTag($0) }.map { String($0.language) } ?? "en"
    if language == "ar" { return arabic(count) }
    return nouns[language].map { "\(count) \($0)" }
  }

  /// The word for "reminders" in each language that has one form for all numbers from two on. A
  /// digest has at least two members.
  private static let nouns = [
    "da": "påmindelser", "de": "Erinnerungen", "en": "reminders", "es": "recordatorios",
    "fr": "rappels", "id": "pengingat", "it": "promemoria", "ms": "peringatan",
    "nb": "påminnelser", "nl": "herinneringen", "pt": "lembretes", "sv": "påminnelser",
    "tr": "hatırlatma",
  ]

  /// Returns the Arabic title, in the form that CLDR calls two, few, many or other.
  private static func arabic(_ count: Int) -> String {
    switch (count, count % 100) {
    case (2, _): "تذكيران"
    case (_, 3...10): "\(count) تذكيرات"
    case (_, 11...99): "\(count) تذكيرًا"
    default: "\(count) تذكير"
    }
  }
}
