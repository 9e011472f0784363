internal import Mustache

/// A part of a request with placeholders that a delivery fills in (mustache).
///
/// Values are encoded for their context before rendering (see `RequestValues`). The template itself
/// does not escape, and no syntax bypasses the encoding.
package struct RequestTemplate: Sendable {
  /// The names that are rendered, without section names.
  let shownNames: Set<String>
  /// The names of sections.
  let sectionNames: Set<String>
  private let template: MustacheTemplate

  /// - Parameter secrets: the names of secrets, which are allowed in addition to those of every
  ///   delivery.
  package init(_ text: String, secrets: [String] = []) throws(ParsingError) {
    let tags = try Self.tags(in: text)
    let knownNames = RequestValues.names + secrets
    for tag in tags where !knownNames.contains(tag.root) && tag.name != "." {
      let placeholders = knownNames.map { "{{\($0)}}" }.joined(separator: ", ")
      throw ParsingError("has {{\(tag.name)}}, which is unknown; known are \(placeholders)")
    }
    shownNames = Set(tags.filter { !$0.isSection }.map(\.root))
    sectionNames = Set(tags.filter(\.isSection).map(\.root))
    do {
      template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text)
    } catch {
      throw ParsingError("is not valid mustache; close each section by its own name")
    }
  }

  /// The names of all placeholders and sections.
  package var names: Set<String> { shownNames.union(sectionNames) }

  func render(_ members: [String: Any]) -> String { template.render(members) }

  /// Returns the names that the template of a URL contains before the query.
  static func namesBeforeQuery(in url: String) -> Set<String> {
    var end = url.startIndex
    while end < url.endIndex, !"?#".contains(url[end]) {
      let close = url[end...].hasPrefix("{{") ? url[end...].firstRange(of: "}}") : nil
      end = close?.upperBound ?? url.index(after: end)
    }
    return Set(((try? tags(in: String(url[..<end]))) ?? []).map(\.root))
  }

  /// A fault of a template; the description follows the name of its setting.
  package struct ParsingError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  private struct Tag {
    let name: String
    /// Whether the tag begins or ends a section.
    let isSection: Bool

    /// The part of the name before the first dot, which names a value.
    var root: String { String(name.prefix { $0 != "." }) }
  }

  private static func tags(in text: String) throws(ParsingError) -> [Tag] {
    var tags: [Tag] = []
    var remaining = text[...]
    while let open = remaining.firstRange(of: "{{") {
      guard let close = remaining[open.upperBound...].firstRange(of: "}}") else {
        throw ParsingError("has \"{{\" without \"}}\"")
      }
      let tag = remaining[open.upperBound..<close.lowerBound]
      remaining = remaining[close.upperBound...]
      guard let sign = tag.first, !"{&>%=<$".contains(sign) else {
        throw ParsingError(
          "has {{\(tag)}}; it can have {{NAME}}, {{#NAME}}, {{^NAME}} and {{/NAME}}")
      }
      if sign == "!" { continue }
      let isSection = "#^/".contains(sign)
      let name = (isSection ? tag.dropFirst() : tag).filter { $0 != " " }
      tags.append(Tag(name: String(name), isSection: isSection))
    }
    return tags
  }
}
