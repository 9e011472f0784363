import Yams

/// The kind of YAML value that a key needs. If a value is of another kind, its refusal names the
/// needed kind.
package enum ExpectedKind: String {
  case mapping = "a mapping"
  case names = "a mapping of names"
  case list = "a list"
  case text = "a text"

  /// Returns the end of an error such as `must be a list; it is a mapping: begin each entry with
  /// "- "`.
  func refusal(of node: Node) -> String {
    "must be \(rawValue); \(Self.nature(of: node))" + remedy(node)
  }

  private func remedy(_ node: Node) -> String {
    switch self {
    case .mapping, .names: Self.remedyToMapping(node)
    case .list: node.sequence == nil ? ": begin each entry with \"- \"" : ""
    case .text: Self.remedyToText(node)
    }
  }

  private static func remedyToMapping(_ node: Node) -> String {
    if node.sequence != nil { return ": write key: value, without \"- \" and […]" }
    let text = node.string ?? ""
    if text.isEmpty { return ": write its keys below it, indented" }
    return Spacing.corrected(text).map { ": write a space after the colon: \($0.text)" } ?? ""
  }

  private static func remedyToText(_ node: Node) -> String {
    if node.string?.isEmpty == true {
      return ": a text that begins with # or ! needs quotation marks"
    }
    guard let mapping = node.mapping else { return ": put the whole text in quotation marks" }
    if let inner = mapping.first?.key.mapping?.first?.key.string {
      return ": put the text in quotation marks: \"{{\(inner)}}\""
    }
    return ": put the whole text in quotation marks"
  }

  /// Returns `it is a list`, `it is empty` or `it is "text"`.
  static func nature(of node: Node) -> String {
    if node.mapping != nil { return "it is a mapping" }
    if node.sequence != nil { return "it is a list" }
    let text = node.string ?? ""
    guard !text.isEmpty else { return "it is empty" }
    let start = text.unicodeScalars.prefix(60)
    return "it is \"\(String(start))\(start.endIndex == text.endIndex ? "" : "…")\""
  }
}

extension Node {
  /// The node as a whole number; nil for another value, and for a time such as 8:30, which YAML
  /// reads as 510.
  var wholeNumber: Int? { string?.contains(":") == true ? nil : int }

  /// Whether the node is a text in quotation marks.
  var isQuoted: Bool {
    [.singleQuoted, .doubleQuoted].contains(scalar?.style)
  }
}
