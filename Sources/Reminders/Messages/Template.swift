package import CivilTime

/// A text with placeholders, parsed once when the catalog is read.
///
/// Filling a template only appends strings. A general template engine would parse the text or look
/// up names again for each recipient. A hundred thousand recipients may be due at once.
package struct Template: Hashable, Sendable {
  package indirect enum Segment: Hashable, Sendable {
    case literal(String)
    /// The occurrence's number, such as the lesson's day.
    case number
    /// The occurrence's number plus one.
    case next
    /// A field of the event.
    case field(Symbol, Form)
    /// The reader's name.
    case name
    /// The distance to the instant that the text is about, in words.
    case distance
    /// Whether the instant or date that the text is about has passed; only for a part.
    case passed
    /// A part that is included only if a value exists or, if `isGiven` is false, only if the value
    /// is missing.
    case part(of: Segment, isGiven: Bool, [Segment])
    /// A text in the plural form for a number.
    case plural(of: Segment, PluralForms)
  }

  /// The form of a field's text.
  package enum Form: Hashable, Sendable {
    /// The whole value: a text, a date with its time, or the name of a person or a place.
    case whole
    /// The local date of an instant.
    case date
    /// The local time of an instant.
    case time
    /// The day of the week of an instant or a date.
    case weekday
    /// A date, or the local date of an instant, with its day of the week.
    case longDate
    /// A date, or the local date of an instant, in another calendar.
    case calendar(CalendarSystem)
    /// The distance to an instant, in words.
    case distance
    /// Whether an instant has come; only for a part.
    case passed
    /// The id of a person or a place.
    case id
    /// The first name of a person, or else the name in the app.
    case firstName
    /// The number of each sort: "20 photos and 3 videos".
    case counted([Tally.ObjectKind])
    /// A number, or the total of a list.
    case count
  }

  package let segments: [Segment]
  /// Whether a placeholder names a field of an event.
  let namesFields: Bool
  /// Whether a placeholder names the reader.
  let namesReader: Bool
  /// Whether the text depends on the distance to the instant that the text is about. It does if it
  /// gives the distance in words, or has a part for an instant that has passed.
  let namesTime: Bool

  package init(_ segments: [Segment]) {
    self.segments = segments
    namesFields = segments.contains {
      $0.contains { if case .field = $0 { true } else { false } }
    }
    namesReader = segments.contains { $0.contains { $0 == .name } }
    namesTime = segments.contains { $0.contains { $0 == .distance || $0 == .passed } }
  }

  /// The text, if it has no placeholders; otherwise nil.
  var literal: String? {
    if segments.count == 1, case .literal(let text) = segments[0] { text } else { nil }
  }

  /// Returns the text with its placeholders filled.
  ///
  /// - Parameters:
  ///   - number: the occurrence's number, for `{{days}}` and plurals; nil if it has none.
  ///   - details: the fields of the event; nil if the text is not about an event.
  ///   - wording: the language and the reader of the text.
  ///   - time: the instant of sending. If it is nil, the distance to the text's instant is empty,
  ///     and the distance to a field's instant is replaced by date and time.
  package func text(
    number: Int64?, details: Details? = nil, wording: Wording = .neutral, time: SendingTime? = nil
  ) -> String {
    if let literal { return literal }
    return TemplateWriter(number: number, details: details, wording: wording, time: time)
      .text(segments)
  }
}
