/// The events that a token with the scope `report` may report (rule H19).
package struct ReportGrant: Hashable, Sendable {
  /// The allowed types of events; if empty, every type is allowed, except an erasure.
  package let types: [String]
  /// The only allowed source of events; nil if every source is allowed.
  package let source: String?

  /// The grant of all types, except an erasure, and of every source.
  package static let unlimited = ReportGrant()
  /// The maximum number of types.
  package static let typesMax = 100

  private init() { (types, source) = ([], nil) }

  /// Returns nil if a type or the source is invalid, or if there are more than `typesMax` types.
  package init?(types: [String], source: String?) {
    guard types.count <= Self.typesMax, types.allSatisfy(Self.isType),
      source.map(Self.isSource) ?? true
    else { return nil }
    (self.types, self.source) = (types, source)
  }

  /// Parses a text such as `report types=a,b source=c`. The types, the source, or both may be
  /// missing. Returns nil for any other text.
  package init?(_ text: String) {
    var rest = text.unicodeScalars[...]
    guard rest.removePrefix("report") else { return nil }
    var types: [String] = []
    if rest.removePrefix(" types=") {
      let list = rest.prefix { $0 != " " }
      types = list.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
      rest = rest.dropFirst(list.count)
    }
    let source = rest.removePrefix(" source=") ? String(rest) : nil
    guard source != nil || rest.isEmpty else { return nil }
    self.init(types: types, source: source)
  }

  package var text: String {
    let list = types.isEmpty ? "" : " types=" + types.joined(separator: ",")
    return "report" + list + (source.map { " source=" + $0 } ?? "")
  }

  /// Whether a text is a type of events that a grant can list: 1 to 128 bytes without spaces,
  /// commas and control characters.
  package static func isType(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0 != "," && $0 != " " && !isControl($0) }
  }

  /// Whether a text can be the source of an event: 1 to 256 bytes without control characters.
  package static func isSource(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }

  // Texts are compared by their bytes, because `==` ignores differences of Unicode normalization.

  /// Whether the grant names a type.
  package func names(type: String) -> Bool {
    types.contains { $0.utf8.elementsEqual(type.utf8) }
  }

  /// Whether the grant includes a source.
  package func includes(source: String) -> Bool {
    self.source.map { $0.utf8.elementsEqual(source.utf8) } ?? true
  }
}

extension Substring.UnicodeScalarView {
  /// - Returns: whether the view had the prefix, which is removed.
  fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
    guard starts(with: prefix.unicodeScalars) else { return false }
    self = dropFirst(prefix.unicodeScalars.count)
    return true
  }
}
