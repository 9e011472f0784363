/// A title and a body with places for what an occurrence is about, in one language or several.
package struct MessageTemplate: Hashable, Sendable {
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

  /// Whether a place stands for what the one who reads it is called.
  var namesReader: Bool {
    title.namesReader || body.namesReader
      || translations.contains { $0.title.namesReader || $0.body.namesReader }
  }

  /// Whether a place stands for a distance in time, in words.
  var namesTime: Bool {
    title.namesTime || body.namesTime
      || translations.contains { $0.title.namesTime || $0.body.namesTime }
  }

  /// Whether everybody is told the same, but for numbers.
  var isAlikeForAll: Bool { translations.isEmpty && !namesFields && !namesReader && !namesTime }

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
  package indirect enum Segment: Hashable, Sendable {
    case literal(String)
    /// The occurrence's number, such as the lesson's day.
    case number
    /// The one after it.
    case next
    /// A field of the event that it is about.
    case field(Symbol, Form)
    /// What the one who reads it is called.
    case name
    /// How far the instant is that it is about, in words.
    case distance
    /// A part that is there only if something is, or only if it is not.
    case part(of: Segment, isGiven: Bool, [Segment])
    /// What so many of a thing are called.
    case plural(of: Segment, PluralForms)
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
    /// The local date of an instant with its day of the week.
    case longDate
    /// How far an instant is, in words.
    case distance
    /// What tells a person or a place from others.
    case id
    case firstName
    /// How many of each sort: "20 photos and 3 videos".
    case counted([Tally.Sort])
    /// A number, or how many in all.
    case count
  }

  package let segments: [Segment]
  /// Whether a place stands for a field of an event.
  let namesFields: Bool
  /// Whether a place stands for what the one who reads it is called.
  let namesReader: Bool
  /// Whether a place stands for the distance to the instant that it is about.
  let namesTime: Bool

  package init(_ segments: [Segment]) {
    self.segments = segments
    namesFields = segments.contains {
      $0.contains { if case .field = $0 { true } else { false } }
    }
    namesReader = segments.contains { $0.contains { $0 == .name } }
    namesTime = segments.contains { $0.contains { $0 == .distance } }
  }

  /// The text, if it has no places.
  var literal: String? {
    if segments.count == 1, case .literal(let text) = segments[0] { text } else { nil }
  }

  /// The text with its places filled.
  ///
  /// - Parameters:
  ///   - details: of the event that it is about, if it is about one.
  ///   - time: the instant of sending; places for a distance are empty without it.
  package func text(
    number: Int64?, details: Details? = nil, wording: Wording = .neutral, time: SendingTime? = nil
  ) -> String {
    if let literal { return literal }
    return TemplateWriter(number: number, details: details, wording: wording, time: time)
      .text(segments)
  }
}
