extension Template {
  /// Parses a text with placeholders:
  ///
  /// - `{{name}}`;
  /// - a part for a given value, `{{#place}} in {{place}}{{/place}}`;
  /// - a part for a missing value, `{{^place}}...{{/place}}`;
  /// - a part for an instant or a date that has passed, `{{#passed}}...{{/passed}}`;
  /// - plurals, `{{days | one: # day | other: # days}}`;
  /// - texts for single numbers, `{{days | =0: today | =1: tomorrow | other: in # days}}`.
  ///
  /// Parts are nested at most `partDepthMax` deep.
  ///
  /// - Parameters:
  ///   - names: the meaning of each placeholder.
  ///   - language: the language of the text, for its plurals.
  /// - Throws: the first error.
  package init(
    parsing text: String, names: [String: Segment], language: LanguageTag = .english
  ) throws(TemplateError) {
    var parser = TemplateParser(rest: Substring(text), names: names, language: language)
    self.init(Self.joined(try parser.segments(until: nil)))
  }

  /// Joins adjacent literals and removes empty ones.
  fileprivate static func joined(_ segments: [Segment]) -> [Segment] {
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

/// The maximum depth of nested parts. Each level of nesting is a level of recursion, both here and
/// when a text is filled.
private let partDepthMax = 16

private struct TemplateParser {
  var rest: Substring
  let names: [String: Template.Segment]
  let language: LanguageTag
  /// The number of parts that are open.
  var depth = 0

  /// Parses the segments up to the end of a part.
  ///
  /// - Parameter section: the name of the part; nil to parse the whole text.
  mutating func segments(until section: String?) throws(TemplateError) -> [Template.Segment] {
    var segments: [Template.Segment] = []
    while let (literal, afterOpening) = rest.split(at: "{{") {
      guard let (content, afterTag) = afterOpening.split(at: "}}") else {
        throw TemplateError.unclosed
      }
      segments.append(.literal(String(literal)))
      rest = afterTag
      let tag = String(content).trimmed
      let name = String(tag.dropFirst()).trimmed
      switch tag.first {
      case "#", "^":
        let subject = try subject(name)
        guard depth < partDepthMax else { throw TemplateError.nestedTooDeeply(tag) }
        depth += 1
        let inner = Template.joined(try self.segments(until: name))
        depth -= 1
        segments.append(.part(of: subject, isGiven: tag.first == "#", inner))
      case "/":
        guard name == section else { throw TemplateError.unopened(name, open: section) }
        return segments
      default: segments.append(try placeholder(tag))
      }
    }
    if let section { throw TemplateError.unended(section) }
    return segments + [.literal(String(rest))]
  }

  private func subject(_ name: String) throws(TemplateError) -> Template.Segment {
    guard let subject = names[name] else {
      throw TemplateError.unknown(name, known: names.keys.sorted())
    }
    if subject.isDistance, RelativeWords.of(language) == nil {
      throw TemplateError.noDistances(name, language)
    }
    return subject
  }

  /// Parses `name`, or `name | one: # day | other: # days`.
  private func placeholder(_ text: String) throws(TemplateError) -> Template.Segment {
    let operands = text.split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0).trimmed }
    let subject = try subject(operands[0])
    guard !subject.isPassed else { throw TemplateError.onlyForParts(operands[0]) }
    guard operands.count > 1 else { return subject }
    guard subject.isCount else { throw TemplateError.uncountable(operands[0]) }
    var forms: [PluralCategory: String] = [:]
    var exact: [UInt64: String] = [:]
    for form in operands.dropFirst() {
      let words = form.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0).trimmed }
      if words.count == 2, words[0].hasPrefix("="), let number = UInt64(words[0].dropFirst()) {
        guard exact.updateValue(words[1], forKey: number) == nil else {
          throw TemplateError.repeatedForm(words[0])
        }
        continue
      }
      guard words.count == 2, let category = PluralCategory(rawValue: words[0]) else {
        throw TemplateError.invalidForm(form)
      }
      guard forms.updateValue(words[1], forKey: category) == nil else {
        throw TemplateError.repeatedForm(words[0])
      }
    }
    if let fault = PluralForms.fault(forms, exact: Set(exact.keys), in: language) {
      throw TemplateError.plural(fault)
    }
    guard let rule = PluralRule(language) else { return subject }
    return .plural(of: subject, PluralForms(rule: rule, forms: forms, exact: exact))
  }
}

extension Template.Segment {
  /// Whether the segment has a number, for which a plural can be chosen.
  fileprivate var isCount: Bool {
    switch self {
    case .number, .next, .field(_, .count), .field(_, .counted): true
    case .literal, .name, .distance, .passed, .field, .part, .plural: false
    }
  }

  fileprivate var isPassed: Bool {
    switch self {
    case .passed, .field(_, .passed): true
    default: false
    }
  }

  fileprivate var isDistance: Bool {
    switch self {
    case .distance, .field(_, .distance): true
    default: false
    }
  }
}

/// A mistake in a text with placeholders. The texts in the cases are names of placeholders, except
/// where a case says otherwise.
package enum TemplateError: Error, Hashable, CustomStringConvertible {
  case unclosed
  case unknown(String, known: [String])
  /// A part has no end.
  case unended(String)
  /// A part, given by its sign and name, such as `#tag`, is nested too deeply.
  case nestedTooDeeply(String)
  /// The end of a part has no beginning. `open` is the name of the part that is open at this
  /// position; nil if none is.
  case unopened(String, open: String?)
  /// A placeholder with plural forms is not a number.
  case uncountable(String)
  /// A placeholder that only selects parts is used as a text.
  case onlyForParts(String)
  /// The text of a form is not a plural category, a colon and words.
  case invalidForm(String)
  /// A plural category, or `=` and a number, has two forms.
  case repeatedForm(String)
  /// The forms do not fit the language. The text is a sentence about the mistake.
  case plural(String)
  /// The language has no words for the distance to an instant.
  case noDistances(String, LanguageTag)

  package var description: String {
    switch self {
    case .unclosed: "a \"{{\" is not closed by \"}}\""
    case .unknown(let name, let known):
      "{{\(name)}} is unknown here"
        + (known.isEmpty ? "" : "; known: " + known.map { "{{\($0)}}" }.joined(separator: ", "))
    case .unended(let name): "{{#\(name)}} is not ended by {{/\(name)}}"
    case .nestedTooDeeply(let tag):
      "{{\(tag)}} is nested in \(partDepthMax) others; at most \(partDepthMax) levels are allowed"
    case .unopened(let name, let open):
      "{{/\(name)}} has no matching {{#\(name)}}" + (open.map { "; {{#\($0)}} is open" } ?? "")
    case .uncountable(let name): "{{\(name)}} is not a number and has no plural"
    case .onlyForParts(let name):
      "{{\(name)}} has no text; write {{#\(name)}} or {{^\(name)}} before a part, and {{/\(name)}} "
        + "after it"
    case .invalidForm(let text):
      "\"\(text)\" is not a form such as \"one: # day\" (known: "
        + PluralCategory.allCases.map(\.rawValue).joined(separator: ", ") + ")"
    case .repeatedForm(let name): "the form \"\(name)\" is given twice"
    case .plural(let fault): fault
    case .noDistances(let name, let language):
      "{{\(name)}} is not available in \"\(language)\"; write the date and the time instead"
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
  /// The text without spaces at either end.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
