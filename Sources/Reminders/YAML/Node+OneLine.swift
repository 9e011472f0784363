import JSON
package import Yams

extension Node {
  /// The node as YAML in one line. Nodes with the same values have the same line, however their
  /// files are laid out.
  package var inOneLine: String {
    switch self {
    case .scalar where isNull: "null"
    case .scalar(let scalar): Self.isPlain(self) ? scalar.string : Self.quoted(scalar.string)
    case .sequence(let sequence): "[\(sequence.map(\.inOneLine).joined(separator: ", "))]"
    case .mapping(let mapping):
      "{\(mapping.map { "\($0.inOneLine): \($1.inOneLine)" }.joined(separator: ", "))}"
    case .alias: ""
    }
  }

  /// Whether the node is a null without quotation marks, such as `~`.
  var isNull: Bool {
    guard let scalar, scalar.style == .plain else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  /// Returns whether a scalar needs no quotation marks, even within brackets.
  private static func isPlain(_ node: Node) -> Bool {
    guard let scalar = node.scalar, scalar.style == .plain else { return false }
    let text = scalar.string
    return !text.isEmpty && text.first != "." && text.first != "-"
      && text.utf8.allSatisfy { plainCharacters.contains($0) }
  }

  private static let plainCharacters = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-".utf8)

  /// Returns a text in double quotation marks, in which YAML has the escapes of JSON.
  private static func quoted(_ text: String) -> String {
    String(decoding: JSONWriter.canonical(.string(text)), as: UTF8.self)
  }
}
