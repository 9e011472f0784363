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
    (1...128).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// What the system vouches for of the process at the other end of a Unix socket (unix(7),
/// SO_PEERCRED), as it was when it connected.
package struct PeerCredentials: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32
  /// The further groups that it is a member of.
  package var groups: [UInt32]

  package init(user: UInt32, group: UInt32, groups: [UInt32] = []) {
    self.user = user
    self.group = group
    self.groups = groups
  }
}

/// Who administers the service over its Unix socket: root, the service's own user, and the members
/// of its group (rule H1).
package struct LocalAuthority: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32
  /// What the group is called, for messages.
  package var groupName: String

  package init(user: UInt32, group: UInt32, groupName: String) {
    self.user = user
    self.group = group
    self.groupName = groupName
  }

  package func isAdministrator(_ peer: PeerCredentials) -> Bool {
    // The system's name for those of another user namespace, whoever they are.
    guard peer.user != Self.nobody else { return false }
    return peer.user == 0 || peer.user == user || ([peer.group] + peer.groups).contains(group)
  }

  /// Why somebody is not an administrator, and what they can do about it.
  package func refusal(of peer: PeerCredentials) -> String {
    let groups = ([peer.group] + peer.groups.filter { $0 != peer.group }).map(String.init)
    return "over this socket root, user \(user) and the members of the group \(groupName) are "
      + "served; you are user \(peer.user), of the groups \(groups.joined(separator: ", ")); "
      + "have root run \"usermod --append --groups \(groupName) NAME\" and log in again, or bring "
      + "a token"
  }

  private static let nobody: UInt32 = 65_534
}
