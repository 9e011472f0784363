/// A BCP 47 language tag, such as `pt-BR`, with its fallbacks.
package struct LanguageTag: Hashable, Sendable, CustomStringConvertible {
  /// The tag in lower case, with hyphens.
  package let description: String

  private static let lengthMax = 35

  /// Returns nil for an invalid tag. An underscore counts as a hyphen, as in POSIX.
  package init?(_ text: some StringProtocol) {
    guard (2...Self.lengthMax).contains(text.utf8.count) else { return nil }
    let name = text.lowercased().split(separator: "_", omittingEmptySubsequences: false)
      .joined(separator: "-")
    let subtags = name.split(separator: "-", omittingEmptySubsequences: false)
    guard subtags.allSatisfy(Self.isSubtag), let language = subtags.first,
      (2...8).contains(language.utf8.count), language.allSatisfy(\.isLetter)
    else { return nil }
    description = name
  }

  private init(known name: String) {
    description = name
  }

  private static func isSubtag(_ subtag: Substring) -> Bool {
    (1...8).contains(subtag.utf8.count)
      && subtag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// The next tag to try if this one is not available: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647,
  /// section 3.4). Nil for a tag that has only a language.
  package var parent: LanguageTag? {
    var subtags = description.split(separator: "-").dropLast()
    if subtags.count > 1, subtags.last?.utf8.count == 1 { subtags = subtags.dropLast() }
    return subtags.isEmpty ? nil : LanguageTag(known: subtags.joined(separator: "-"))
  }

  /// Returns the value for this tag or for its nearest parent with a value.
  package func lookup<Value>(_ value: (LanguageTag) -> Value?) -> Value? {
    var tag: LanguageTag? = self
    while let candidate = tag {
      if let match = value(candidate) { return match }
      tag = candidate.parent
    }
    return nil
  }

  /// Returns whether this tag is the tag of a locale, or a parent of that tag. The locale may be in
  /// capitals and with underscores.
  ///
  /// The function allocates nothing, because it is called for each of many recipients that are due
  /// at once.
  func covers(_ locale: String) -> Bool {
    var rest = locale.utf8[...]
    for byte in description.utf8 {
      guard let other = rest.popFirst(), Self.folded(other) == byte else { return false }
    }
    return rest.first.map { Self.folded($0) == UInt8(ascii: "-") } ?? true
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    case UInt8(ascii: "_"): UInt8(ascii: "-")
    default: byte
    }
  }

  package static let english = LanguageTag(known: "en")

  /// The language without script, region and other subtags.
  package var language: Substring { description.prefix { $0 != "-" } }

  var isRightToLeft: Bool { Self.rightToLeft.contains(String(language)) }

  private static let rightToLeft: Set<String> = [
    "ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi",
  ]

  /// Whether the language is in ISO 639-1 or in the table `LocalWords`.
  package var isKnown: Bool { Self.known.contains(String(language)) }

  /// The languages with a code of two letters, and the languages in the table `LocalWords`.
  package static let known: [String] = Set(
    codes.split(whereSeparator: \.isWhitespace).map(String.init)
      + LocalWords.all.keys.map { String($0.prefix { $0 != "-" }) }
  ).sorted()

  private static let codes = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
    id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo
    lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl
    ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
    tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """
}
