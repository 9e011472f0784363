import Access
import Glibc
import Testing

@testable import API

@Suite struct PeerCredentialsTests {
  private struct NoSocket: Error {}

  @Test func `the credentials of a Unix socket's peer are those of its process`() throws {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw NoSocket() }
    defer { for end in ends { close(end) } }
    let peer = try #require(PeerCredentials(ofSocket: ends[0]))
    #expect(peer.user == geteuid())
    #expect(peer.group == getegid())
    var groups = [gid_t](repeating: 0, count: Int(getgroups(0, nil)))
    let count = getgroups(CInt(groups.count), &groups)
    #expect(Set(peer.groups) == Set(groups.prefix(Int(count))))
  }

  @Test func `an invalid descriptor has no credentials`() {
    #expect(PeerCredentials(ofSocket: -1) == nil)
  }
}
