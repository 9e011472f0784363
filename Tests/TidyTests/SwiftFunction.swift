/// A function, initializer, subscript or computed property, with the properties that the rules
/// check.
struct SwiftFunction: Sendable {
  /// The keyword, such as `func` or `init`.
  let kind: String
  let name: String
  let attributes: Set<String>
  let firstLine: Int
  let lastLine: Int
  /// The tokens from the opening to the closing brace.
  let body: [Token]

  var lineCount: Int { lastLine - firstLine + 1 }
  var isTest: Bool { attributes.contains("Test") }

  /// Returns every declaration in `tokens` that has a body, including nested declarations.
  /// Requirements of protocols have no body.
  static func all(in tokens: [Token]) -> [SwiftFunction] {
    tokens.indices.compactMap { index in
      guard introducers.contains(tokens[index].text), !tokens.isMember(at: index) else {
        return nil
      }
      return SwiftFunction(introducedAt: index, in: tokens)
    }
  }

  private init?(introducedAt index: Int, in tokens: [Token]) {
    kind = tokens[index].text
    let isProperty = kind == "var"
    guard
      let open = Self.bodyStart(after: index, in: tokens, isProperty: isProperty),
      let close = tokens.closing(ofOpeningAt: open)
    else { return nil }
    name = isProperty || kind == "func" ? tokens[index + 1].text : kind
    attributes = Self.attributes(before: index, in: tokens)
    firstLine = tokens[index].line
    lastLine = tokens[close].line
    body = Array(tokens[open...close])
  }

  private static let introducers: Set = ["func", "init", "deinit", "subscript", "var"]

  /// A declaration has no body if one of these precedes its brace.
  private static let nextDeclaration: Set = [
    "}", "actor", "associatedtype", "case", "class", "deinit", "enum", "extension", "func",
    "import", "init", "let", "protocol", "struct", "subscript", "typealias", "var",
  ]

  private static let modifiers: Set = [
    "async", "borrowing", "class", "consuming", "convenience", "dynamic", "fileprivate", "final",
    "internal", "isolated", "lazy", "mutating", "nonisolated", "nonmutating", "override", "package",
    "private", "public", "required", "static", "unowned", "weak",
  ]

  private static func bodyStart(
    after introducer: Int, in tokens: [Token], isProperty: Bool
  ) -> Int? {
    var index = introducer + 1
    while index < tokens.count {
      let token = tokens[index]
      if token.text == "{" { return index }
      if nextDeclaration.contains(token.text), !tokens.isMember(at: index) { return nil }
      if isProperty, token.text == "=" || token.line > tokens[index - 1].line { return nil }
      if token.text == "(" || token.text == "[" {
        guard let close = tokens.closing(ofOpeningAt: index) else { return nil }
        index = close
      }
      index += 1
    }
    return nil
  }

  private static func attributes(before introducer: Int, in tokens: [Token]) -> Set<String> {
    var names: Set<String> = []
    var index = introducer - 1
    while index > 0 {
      var word = index
      if tokens[index].text == ")" {
        guard let open = tokens.opening(ofClosingAt: index), open > 0 else { break }
        word = open - 1
      }
      if word > 0, tokens[word - 1].text == "@" {
        names.insert(tokens[word].text)
        index = word - 2
      } else if modifiers.contains(tokens[word].text) {
        index = word - 1
      } else {
        break
      }
    }
    return names
  }
}
