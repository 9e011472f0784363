/// The resources that a caller may use (rules H1, H5).
package enum AccessScope: Hashable, Sendable {
  /// All recipients and the service itself.
  case administrator
  /// All recipients, for support staff, and the condition of the service.
  case support
  /// Only the condition of the service, in numbers, without any recipient.
  case observer
  /// No resource: the caller may only report the events that the grant allows.
  case report(ReportGrant)
  /// The recipient with this id.
  case recipient(String)

  /// Parses `admin`, `support`, `observer`, `recipient:` and an id, or the text of a `ReportGrant`;
  /// nil for other text.
  package init?(_ text: String) {
    if let scope = Self.constants.first(where: { $0.text == text }) {
      self = scope
      return
    }
    if let grant = ReportGrant(text) {
      self = .report(grant)
      return
    }
    let prefix = "recipient:"
    guard text.hasPrefix(prefix) else { return nil }
    let recipient = String(text.dropFirst(prefix.count))
    guard Self.isRecipient(recipient) else { return nil }
    self = .recipient(recipient)
  }

  /// The text that `init` parses.
  package var text: String {
    switch self {
    case .administrator: "admin"
    case .support: "support"
    case .observer: "observer"
    case .report(let grant): grant.text
    case .recipient(let recipient): "recipient:\(recipient)"
    }
  }

  /// The text of the scope, without the types and the source of its grant.
  package var name: String { grant == nil ? text : ReportGrant.unlimited.text }

  /// The events that the caller may report, if the scope allows nothing else; otherwise nil.
  package var grant: ReportGrant? {
    if case .report(let grant) = self { grant } else { nil }
  }

  /// Whether the caller is an app that reports events about all recipients. The rate of such a
  /// caller has no limit.
  package var isApp: Bool { self == .administrator || grant != nil }

  private static let constants: [AccessScope] = [.administrator, .support, .observer]

  /// The recipient's id if the scope is one recipient's; nil otherwise.
  package var recipient: String? {
    if case .recipient(let recipient) = self { recipient } else { nil }
  }

  /// The prefix of the sources of a recipient's events; nil for other scopes. The prefix separates
  /// the ids of these events from those of apps, so that a recipient cannot use up an app's ids.
  package var sourceNamespace: String? {
    recipient.map { recipient in
      // Escaping keeps names distinct. Scalars are replaced, because a Character may be "%"
      // or "/" with combining scalars after it.
      let name = recipient.unicodeScalars.map { scalar in
        scalar == "%" ? "%25" : scalar == "/" ? "%2F" : String(scalar)
      }
      return "recipient:\(name.joined())/"
    }
  }

  /// Whether the caller may use a recipient's resources.
  package func covers(_ recipient: String) -> Bool {
    switch self {
    case .administrator, .support: true
    case .observer, .report: false
    // Ids are compared by their bytes, because `==` ignores differences of Unicode normalization.
    case .recipient(let ownRecipient): ownRecipient.utf8.elementsEqual(recipient.utf8)
    }
  }

  /// Whether the caller may use this recipient's resources only.
  package func isLimited(to recipient: String) -> Bool {
    self.recipient != nil && covers(recipient)
  }

  /// Rights to resources of the service, the strongest first. Each right includes those after it.
  package enum Right: CaseIterable, Sendable {
    /// Tokens, backups, the configuration, sinks, nodes and erasures.
    case administration
    /// Recipients, their notifications and dead letters, the journal, and drafts of catalogs.
    case support
    /// The condition of the service, without any recipient.
    case observation

    /// The names of the scopes that have the right.
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

  /// Whether a text is a valid recipient id: 1 to 128 bytes, no control characters.
  package static func isRecipient(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// The credentials of the process at the other end of a Unix socket. The kernel records them when
/// the process connects (unix(7), SO_PEERCRED).
package struct PeerCredentials: Hashable, Sendable {
  /// The id of the process's user.
  package var user: UInt32
  /// The id of the process's primary group.
  package var group: UInt32
  /// The supplementary groups.
  package var groups: [UInt32]

  package init(user: UInt32, group: UInt32, groups: [UInt32] = []) {
    self.user = user
    self.group = group
    self.groups = groups
  }
}

/// Decides who administers the service over its Unix socket: root, the service's own user, and the
/// members of its group (rule H1).
package struct LocalAuthority: Hashable, Sendable {
  /// The id of the service's own user.
  package var user: UInt32
  /// The id of the service's group.
  package var group: UInt32
  /// The name of the group, for error messages.
  package var groupName: String

  package init(user: UInt32, group: UInt32, groupName: String) {
    self.user = user
    self.group = group
    self.groupName = groupName
  }

  package func isAdministrator(_ peer: PeerCredentials) -> Bool {
    // The kernel reports `nobody` for every user of another namespace, so the id proves nothing.
    guard peer.user != Self.nobody else { return false }
    return peer.user == 0 || peer.user == user || ([peer.group] + peer.groups).contains(group)
  }

  /// Returns the reason why a peer is not an administrator, and the way to become one.
  package func refusal(of peer: PeerCredentials) -> String {
    let groups = ([peer.group] + peer.groups.filter { $0 != peer.group }).map(String.init)
    return "this socket serves root, user \(user) and members of the group \(groupName); "
      + "you are user \(peer.user), in the groups \(groups.joined(separator: ", ")); "
      + "have root run \"usermod --append --groups \(groupName) NAME\" and log in again, or send "
      + "a token"
  }

  /// The id by which the kernel reports users of other namespaces.
  private static let nobody: UInt32 = 65_534
}
