/// Whose resources somebody may ask for (rules H1, H5).
package enum AccessScope: Hashable, Sendable {
  /// Everyone's, and the service's own.
  case administrator
  /// Everyone's, for who helps people; of the service's own only how it is.
  case support
  /// Nobody's: how the service is, in numbers.
  case observer
  /// Those of the recipient with this id.
  case recipient(String)

  /// Reads `admin`, `support`, `observer`, or `recipient:` and an id; nil for anything else.
  package init?(_ text: String) {
    if let scope = Self.constants.first(where: { $0.text == text }) {
      self = scope
      return
    }
    let prefix = "recipient:"
    guard text.hasPrefix(prefix) else { return nil }
    let recipient = String(text.dropFirst(prefix.count))
    guard Self.isRecipient(recipient) else { return nil }
    self = .recipient(recipient)
  }

  package var text: String {
    switch self {
    case .administrator: "admin"
    case .support: "support"
    case .observer: "observer"
    case .recipient(let recipient): "recipient:\(recipient)"
    }
  }

  private static let constants: [AccessScope] = [.administrator, .support, .observer]

  /// The one recipient, if it is one's.
  package var recipient: String? {
    if case .recipient(let recipient) = self { recipient } else { nil }
  }

  /// What stands before the sources of the events that are reported; nil where nothing does. A
  /// recipient's ids are apart from everyone else's, so none can take the ids that others will use.
  package var sourceNamespace: String? {
    recipient.map { recipient in
      // No two ids give the same. By scalars: a letter may be more than the mark it begins with.
      let name = recipient.unicodeScalars.map { scalar in
        scalar == "%" ? "%25" : scalar == "/" ? "%2F" : String(scalar)
      }
      return "recipient:\(name.joined())/"
    }
  }

  /// Whether a recipient's resources are among them.
  package func covers(_ recipient: String) -> Bool {
    switch self {
    case .administrator, .support: true
    case .observer: false
    // By bytes, as ids are told apart everywhere: to `==` two spellings of one letter are equal.
    case .recipient(let own): own.utf8.elementsEqual(recipient.utf8)
    }
  }

  /// Whether it is a recipient's own.
  package func isOwn(of recipient: String) -> Bool {
    self.recipient != nil && covers(recipient)
  }

  /// What is nobody's own, the narrowest first: who has one has those behind it.
  package enum Right: CaseIterable, Sendable {
    /// To tokens, backups, the configuration and erasures.
    case administration
    /// To people, and what could not be delivered to them.
    case support
    /// To how the service is, without any person.
    case observation

    /// The scopes that have it, as they are written.
    package var scopes: [String] {
      constants.filter { $0.has(self) }.map(\.text)
    }
  }

  package func has(_ right: Right) -> Bool {
    switch (self, right) {
    case (.administrator, _), (.support, .support), (.support, .observation),
      (.observer, .observation):
      true
    default: false
    }
  }

  /// Whether a text may be a recipient's id: 1 to 128 bytes, no control characters.
  package static func isRecipient(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
  }
}
