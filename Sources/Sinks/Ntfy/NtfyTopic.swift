/// The topic that a person's notifications are published to: the same for all, or with
/// `{recipient}` one for each.
package struct NtfyTopic: Hashable, Sendable {
  private static let placeholder = "{recipient}"

  private let template: String

  /// Nil if it can never make a topic.
  package init?(_ template: String) {
    self.template = template
    guard topic(of: "x") != nil else { return nil }
  }

  /// Nil if there is none for such a recipient: ntfy knows letters, digits, hyphens and
  /// underscores, 64 at most. Nothing is put in place of others: no two people share a topic.
  package func topic(of recipient: String) -> String? {
    let topic = template.replacing(Self.placeholder, with: recipient)
    return Self.isName(topic) ? topic : nil
  }

  /// Whether ntfy takes a text for the name of something.
  static func isName(_ text: String) -> Bool {
    let isPlain = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    return isPlain && (1...64).contains(text.utf8.count)
  }
}
