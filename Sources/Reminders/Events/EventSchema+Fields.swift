extension EventSchema {
  /// A field of an event's data.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let kind: FieldKind
    package let isRequired: Bool
  }

  package enum FieldKind: Hashable, Sendable {
    /// Events with the same one are about the same thing.
    case identifier
    case instant
    case text
    case number
    case flag
    /// Who did it; an event of a person's own doing is not told to them (rule N2).
    case person
    case place
    /// A text of any length, of which the beginning is kept.
    case preview
    /// Another person whom the service knows, who is told of it too.
    case recipient
    /// Things that are counted by their sort.
    case list([Tally.Sort])
    /// A whole number within a range, remembered as such.
    case kept(NumberField)
  }

  /// What a message or a trigger can name of the event.
  package var fields: [Field] {
    switch shape {
    case .happening(let field?):
      [Field(name: field.name, kind: .kept(field), isRequired: true)]
    case .report(let fields): fields
    default: []
    }
  }

  package var identifierField: Field? {
    fields.first { $0.kind == .identifier }
  }

  /// Whether each report of a number may be answered, so that it may say that the person is in the
  /// app (rule I4).
  package var isEachSaid: Bool {
    guard kept == 0, case .happening(let field?) = shape else { return false }
    return field.memory == .each
  }

  /// How the type's number is remembered, if it has one.
  package var memory: Memory? {
    for case .kept(let number) in fields.map(\.kind) { return number.memory }
    return nil
  }
}
