/// What the title of a digest says in the person's language (rule V6); in English to whoever speaks
/// another.
enum DigestWords {
  static func title(_ count: Int, in locale: String?) -> String {
    let language = locale.flatMap { LanguageTag($0) }.map { String($0.language) } ?? "en"
    if language == "ar" { return arabic(count) }
    return "\(count) \(nouns[language] ?? "reminders")"
  }

  /// A digest has two members at least, and these languages have one form for all such numbers.
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
