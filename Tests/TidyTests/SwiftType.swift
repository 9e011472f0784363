/// A type that a file declares at its top level.
struct SwiftType: Equatable, Sendable {
  let name: String
  /// Whether only the file can use the type.
  let isPrivate: Bool
  let firstLine: Int
  let lastLine: Int

  var lineCount: Int { lastLine - firstLine + 1 }

  private static let introducers: Set = ["actor", "class", "enum", "protocol", "struct"]

  /// Returns the types in `tokens`, without nested ones.
  static func all(in tokens: [Token]) -> [SwiftType] {
    var types: [SwiftType] = []
    var index = 0
    while index < tokens.count {
      if introducers.contains(tokens[index].text) {
        SwiftType(introducedAt: index, tokens).map { types.append($0) }
      }
      index = tokens[index].text == "{" ? tokens.closing(ofOpeningAt: index) ?? index : index
      index += 1
    }
    return types
  }

  private init?(introducedAt index: Int, _ tokens: [Token]) {
    let modifiers = tokens[..<index].suffix(2).map(\.text)
    guard modifiers.last != "import", index + 1 < tokens.count, tokens[index + 1].isWord,
      let open = tokens[index...].firstIndex(where: { $0.text == "{" }),
      let close = tokens.closing(ofOpeningAt: open)
    else { return nil }
    name = tokens[index + 1].text
    isPrivate = modifiers.contains("private") || modifiers.contains("fileprivate")
    firstLine = tokens[index].line
    lastLine = tokens[close].line
  }
}
