import CivilTime
import JSON
import Yams

/// Compares categories, groups and events that several catalogs declare. Catalogs share equal
/// declarations; different declarations of one name are an error.
extension CatalogReader {
  /// The declaration of a name.
  struct Declaration {
    /// The file, line and column.
    var location: String
    var parts: [Part]
  }

  /// A part of a declaration, such as a category's title, as diagnostics name and write it.
  struct Part {
    var name: String
    var value: String
  }

  /// Registers the declaration of a new name, and returns whether the name is new. Reports a
  /// declaration of a known name that differs from the registered one.
  ///
  /// - Parameter what: the kind and name, such as `the category "LESSON"`.
  mutating func registerDeclaration(
    _ what: String, _ parts: [Part], at node: Node
  ) -> Bool {
    guard let known = declarations[what] else {
      let (line, column) = (node.mark?.line ?? 0, node.mark?.column ?? 0)
      declarations[what] = Declaration(location: "\(file):\(line):\(column)", parts: parts)
      return true
    }
    let differences = Self.differences(known.parts, parts)
    if !differences.isEmpty {
      report(
        node,
        "\(what) is declared differently at \(known.location): "
          + "\(differences.joined(separator: "; ")); make both equal, or rename one")
    }
    return false
  }

  private static func values(_ parts: [Part]) -> [String: String] {
    Dictionary(parts.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns clauses such as `its title is "Lessons" there and "Courses" here`.
  private static func differences(_ there: [Part], _ here: [Part]) -> [String] {
    let (valuesThere, valuesHere) = (values(there), values(here))
    let names = there.map(\.name) + here.map(\.name).filter { valuesThere[$0] == nil }
    return names.compactMap { name in
      let (valueThere, valueHere) = (valuesThere[name], valuesHere[name])
      guard valueThere != valueHere else { return nil }
      guard let valueThere else { return "it has \(name) only here" }
      guard let valueHere else { return "it has \(name) only there" }
      return "its \(name) is \(valueThere) there and \(valueHere) here"
    }
  }
}

extension SettingKind {
  /// Returns a parameter's default and allowed values, as diagnostics write them.
  ///
  /// - Parameter initial: the default as a setting's stored value.
  func summary(initial: Int64) -> String {
    let value = self.value(of: initial).description
    return switch self {
    case .choice(let words): "\(value), one of \(words.joined(separator: ", "))"
    case .selection(let words): "\(value), some of \(words.joined(separator: ", "))"
    case .span(let range):
      "\(value), from \(TimeSpan(milliseconds: range.lowerBound)) to "
        + "\(TimeSpan(milliseconds: range.upperBound))"
    case .count(let range): "\(value), from \(range.lowerBound) to \(range.upperBound)"
    default: value
    }
  }
}

extension EventSchema.Field {
  /// The declaration of the field's kind, as a catalog writes it.
  var declaration: String {
    let word =
      switch kind {
      case .identifier: "identifier"
      case .instant: "instant"
      case .date: "date"
      case .text: "text"
      case .number: "number"
      case .flag: "flag"
      case .person: "person"
      case .place: "place"
      case .preview: "preview"
      case .recipient: "recipient"
      case .plan: "plan"
      case .list(let sorts): Self.declaration(of: sorts)
      case .rememberedNumber(let number):
        "{number: [\(number.range.lowerBound), \(number.range.upperBound)], keep: \(number.memory)}"
      }
    return isRequired ? word : word + "?"
  }

  private static func declaration(of sorts: [Tally.ObjectKind]) -> String {
    let words = sorts.map { sort in
      let forms = sort.words.first?.forms.forms ?? [:]
      let formTexts = PluralCategory.allCases.compactMap { category in
        forms[category].map { "\(category.rawValue): \($0)" }
      }
      return "\(sort.name): {\(formTexts.joined(separator: ", "))}"
    }
    return "{list: {\(words.joined(separator: ", "))}}"
  }
}
