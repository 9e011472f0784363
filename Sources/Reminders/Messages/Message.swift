/// A title and a body with places for what an occurrence is about, in one language or several.
package struct Message: Hashable, Sendable {
  /// The same in another language.
  package struct Translation: Hashable, Sendable {
    package var language: LanguageTag
    package var title: Template
    package var body: Template
  }

  package var title: Template
  package var body: Template
  /// What it is about, as a bit of the reminder's topics; nil for what is said whatever a person
  /// chooses.
  package var topic: Int64?
  /// That of title and body.
  package var language = LanguageTag.english
  package var translations: [Translation] = []

  /// Whether a place stands for a field of an event.
  package var namesFields: Bool {
    title.namesFields || body.namesFields
      || translations.contains { $0.title.namesFields || $0.body.namesFields }
  }

  /// Whether everybody is told the same, but for numbers.
  var isAlikeForAll: Bool { translations.isEmpty && !namesFields }

  /// What it says to a person: in their language, or in the nearest that stands in for it, or as
  /// it is.
  package func words(for locale: String?) -> Translation {
    let own = Translation(language: language, title: title, body: body)
    guard let locale else { return own }
    return translations.filter { $0.language.covers(locale) }
      .max { $0.language.description.utf8.count < $1.language.description.utf8.count } ?? own
  }
}

/// A text with places to fill, taken apart once when the catalog is read.
///
/// A template engine would parse or look up by name at the moment when a hundred thousand are due;
/// here filling is appending.
package struct Template: Hashable, Sendable {
  package enum Segment: Hashable, Sendable {
    case literal(String)
    /// The occurrence's number, such as the lesson's day.
    case number
    /// The one after it.
    case next
    /// A field of the event that it is about.
    case field(Symbol, Form)
  }

  /// How a field is written.
  package enum Form: Hashable, Sendable {
    case whole
    /// The local date of an instant.
    case date
    /// The local time of an instant.
    case time
    /// The day of the week of an instant.
    case weekday
    /// What tells a person or a place from others.
    case id
    case firstName
    /// How many of each sort: "20 photos and 3 videos".
    case counted([Tally.Sort])
  }

  package let segments: [Segment]

  package init(_ segments: [Segment]) {
    self.segments = segments
  }

  var namesFields: Bool {
    segments.contains { if case .field = $0 { true } else { false } }
  }

  /// The text, if it has no places.
  var literal: String? {
    if segments.count == 1, case .literal(let text) = segments[0] { text } else { nil }
  }

  /// The text with its places filled.
  ///
  /// - Parameter details: of the event that it is about, if it is about one.
  package func text(
    number: Int64?, details: Details? = nil, wording: Wording = .neutral
  ) -> String {
    if let literal { return literal }
    return segments.reduce(into: "") { text, segment in
      switch segment {
      case .literal(let literal): text += literal
      case .number: text += "\(number ?? 0)"
      case .next: text += "\((number ?? 0) + 1)"
      case .field(let field, let form): text += details?.text(of: field, form, wording) ?? ""
      }
    }
  }
}

extension Template {
  /// Takes a text with `{{name}}` places apart.
  ///
  /// - Parameter names: what each place stands for.
  /// - Throws: the first name that means nothing here, or a place that is not closed.
  package init(parsing text: String, names: [String: Segment]) throws(TemplateError) {
    var segments: [Segment] = []
    var rest = Substring(text)
    while let (literal, after) = rest.split(at: "{{") {
      guard let (name, tail) = after.split(at: "}}") else { throw TemplateError.unclosed }
      guard let segment = names[String(name).trimmed] else {
        throw TemplateError.unknown(String(name).trimmed, known: names.keys.sorted())
      }
      segments.append(.literal(String(literal)))
      segments.append(segment)
      rest = tail
    }
    segments.append(.literal(String(rest)))
    self.init(Self.joined(segments))
  }

  /// The same text with as few segments as possible.
  private static func joined(_ segments: [Segment]) -> [Segment] {
    segments.reduce(into: []) { joined, segment in
      if case .literal(let text) = segment {
        if text.isEmpty && segments.count > 1 { return }
        if case .literal(let previous)? = joined.last {
          joined[joined.count - 1] = .literal(previous + text)
          return
        }
      }
      joined.append(segment)
    }
  }
}

package enum TemplateError: Error, Hashable, CustomStringConvertible {
  case unclosed
  case unknown(String, known: [String])

  package var description: String {
    switch self {
    case .unclosed: "a \"{{\" is not closed by \"}}\""
    case .unknown(let name, let known):
      "{{\(name)}} stands for nothing here"
        + (known.isEmpty ? "" : "; known: " + known.map { "{{\($0)}}" }.joined(separator: ", "))
    }
  }
}

extension Substring {
  fileprivate func split(at mark: String) -> (before: Substring, after: Substring)? {
    var position = startIndex
    while position < endIndex {
      if self[position...].hasPrefix(mark) {
        return (self[..<position], self[index(position, offsetBy: mark.count)...])
      }
      position = index(after: position)
    }
    return nil
  }
}

extension String {
  /// Without spaces at either end.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
