import CivilTime

/// The texts of digests (rule V14): those of the catalogs, or else the built-in ones.
package struct DigestWords: Sendable {
  /// The texts in one language.
  struct Words: Sendable {
    var language: LanguageTag
    var title: Template
    /// The line of a member; if nil, its title and body.
    var line: Template?
  }

  static let titlePlaceholders: [String: Template.Segment] = ["count": .number]
  static let linePlaceholders: [String: Template.Segment] = [
    "title": .field(Symbol("title"), .whole), "body": .field(Symbol("body"), .whole),
  ]

  /// The first entry is in the language of the first catalog that declares texts of digests.
  private var words: [Words] = []

  mutating func add(_ new: Words) {
    guard !words.contains(where: { $0.language == new.language }) else { return }
    words.append(new)
  }

  /// Returns the title in the recipient's language or the nearest to it, else in the catalog's.
  func title(_ count: Int, in locale: String?) -> String {
    if let own = declared(locale) { return own.title(count, in: locale) }
    if let builtIn = Self.builtIn(count, in: locale) { return builtIn }
    return words.first?.title(count, in: locale) ?? "\(count) reminders"
  }

  /// Returns a member's line.
  func line(of member: Message, in locale: String?, zone: Zone) -> String {
    if let line = (declared(locale) ?? words.first)?.line {
      return line.text(number: nil, details: Details(memberOfDigest: member, zone))
    }
    let (title, body) = (member.title, member.body)
    return title.isEmpty || body.isEmpty ? title + body : "\(title): \(body)"
  }

  private func declared(_ locale: String?) -> Words? {
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
  /// Nil if the language has no built-in text.
  private static func builtIn(_ count: Int, in locale: String?) -> String? {
    let language = locale.flatMap { LanguageTag($0) }.map { String($0.language) } ?? "en"
    if language == "ar" { return arabic(count) }
    return nouns[language].map { "\(count) \($0)" }
  }

  /// A digest has at least two members, and these languages have one form for all such numbers.
  private static let nouns = [
    "da": "påmindelser", "de": "Erinnerungen", "en": "reminders", "es": "recordatorios",
    "fr": "rappels", "id": "pengingat", "it": "promemoria", "ms": "peringatan",
    "nb": "påminnelser", "nl": "herinneringen", "pt": "lembretes", "sv": "påminnelser",
    "tr": "hatırlatma",
  ]

  /// The forms that CLDR calls two, few, many and other.
  private static func arabic(_ count: Int) -> String {
    switch (count, count % 100) {
    case (2, _): "تذكيران"
    case (_, 3...10): "\(count) تذكيرات"
    case (_, 11...99): "\(count) تذكيرًا"
    default: "\(count) تذكير"
    }
  }
}
