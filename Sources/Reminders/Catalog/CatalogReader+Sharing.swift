import CivilTime
import JSON
import Yams

/// Several catalogs may declare the same category, group or event: what they declare alike is
/// shared, and where they differ one of them is wrong.
extension CatalogReader {
  /// What a file declares under a name, part by part.
  struct Declaration {
    var place: String
    var parts: [Part]
  }

  /// One part, such as a category's title, in the words of a diagnostic.
  struct Part {
    var name: String
    var value: String
  }

  /// Whether a name is declared already. If it is declared otherwise, that is reported.
  ///
  /// - Parameter what: such as `the category "LESSON"`.
  mutating func isShared(_ what: String, _ parts: [Part], at node: Node) -> Bool {
    guard let known = declarations[what] else {
      let (line, column) = (node.mark?.line ?? 0, node.mark?.column ?? 0)
      declarations[what] = Declaration(place: "\(file):\(line):\(column)", parts: parts)
      return false
    }
    let differences = Self.differences(known.parts, parts)
    if !differences.isEmpty {
      report(
        node,
        "\(what) is declared otherwise at \(known.place): \(differences.joined(separator: "; ")); "
          + "declare it alike in both, or rename one")
    }
    return true
  }

  private static func values(_ parts: [Part]) -> [String: String] {
    Dictionary(parts.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// "its title is "Lessons" there and "Courses" here".
  private static func differences(_ there: [Part], _ here: [Part]) -> [String] {
    let (ones, others) = (values(there), values(here))
    let names = there.map(\.name) + here.map(\.name).filter { ones[$0] == nil }
    return names.compactMap { name in
      let (one, other) = (ones[name], others[name])
      guard one != other else { return nil }
      guard let one else { return "it has \(name) only here" }
      guard let other else { return "it has \(name) only there" }
      return "its \(name) is \(one) there and \(other) here"
    }
  }
}

extension SettingKind {
  /// What a parameter may hold and what it holds at first, as a catalog would say it.
  func written(initial: Int64) -> String {
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
  /// The kind of field, as a catalog would say it.
  var written: String {
    let word =
      switch kind {
      case .identifier: "identifier"
      case .instant: "instant"
      case .text: "text"
      case .number: "number"
      case .flag: "flag"
      case .person: "person"
      case .place: "place"
      case .preview: "preview"
      case .recipient: "recipient"
      case .list(let sorts): Self.written(sorts)
      case .kept(let number):
        "{number: [\(number.range.lowerBound), \(number.range.upperBound)], keep: \(number.memory)}"
      }
    return isRequired ? word : word + "?"
  }

  private static func written(_ sorts: [Tally.Sort]) -> String {
    let words = sorts.map { sort in
      let forms = sort.words.first?.forms.forms ?? [:]
      let written = PluralCategory.allCases.compactMap { category in
        forms[category].map { "\(category.rawValue): \($0)" }
      }
      return "\(sort.name): {\(written.joined(separator: ", "))}"
    }
    return "{list: {\(words.joined(separator: ", "))}}"
  }
}
