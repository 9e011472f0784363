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
