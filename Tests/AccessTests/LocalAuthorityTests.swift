import Access
import Testing

/// Rule H1: root, the service's user and the service's group are administrators.
@Suite struct LocalAuthorityTests {
  private let authority = LocalAuthority(user: 990, group: 991, groupName: "chimed")

  @Test(arguments: [
    PeerCredentials(user: 0, group: 0), PeerCredentials(user: 990, group: 5),
    PeerCredentials(user: 1_000, group: 991),
    PeerCredentials(user: 1_000, group: 1_000, groups: [27, 991]),
  ])
  func `root, the service's user and its group are administrators`(peer: PeerCredentials) {
    #expect(authority.isAdministrator(peer))
  }

  @Test(arguments: [
    PeerCredentials(user: 1_000, group: 1_000, groups: [27, 990]),
    PeerCredentials(user: 991, group: 0, groups: [0]),
    PeerCredentials(user: 65_534, group: 991, groups: [991]),
  ])
  func `no other user or group is an administrator`(peer: PeerCredentials) {
    #expect(!authority.isAdministrator(peer))
  }

  @Test func `a refusal names the peer's user and groups, and what to do`() {
    let peer = PeerCredentials(user: 1_000, group: 1_001, groups: [27, 1_001])
    #expect(
      authority.refusal(of: peer) == """
        this socket serves root, user 990 and members of the group chimed; you are \
        user 1000, in the groups 1001, 27; have root run "usermod --append --groups chimed NAME" \
        and log in again, or send a token
        """)
  }
}
