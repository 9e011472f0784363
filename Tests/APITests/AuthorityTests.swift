import Testing

@testable import API

/// The authority of a request (RFC 3986, section 3.2.2).
@Suite struct AuthorityTests {
  @Test(
    arguments: [
      ("localhost", "localhost", nil), ("LocalHost:7411", "localhost", 7_411),
      ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]", "::1", nil), ("[FE80::1]:80", "fe80::1", 80),
      ("a.example.", "a.example.", nil), ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example", nil),
      ("%2Frun%2Fs", "%2frun%2fs", nil), ("a_b~c!", "a_b~c!", nil), ("a:", "a", nil), ("", "", nil),
    ] as [(String, String, UInt16?)])
  func `H1: a valid authority is parsed into host and port`(
    text: String, host: String, port: UInt16?
  ) {
    let authority = Authority(text)
    #expect(authority?.host == host)
    #expect(authority?.port == port)
  }

  @Test(arguments: [
    "[::1].evil.com", "[::1", "::1", "[localhost]", "[::1]7411", "[::1%25lo]", "[]", "a b", " a",
    "a@localhost", "a:b@localhost", "localhost:x", "localhost:+1", "localhost:65536",
    "localhost:1:2", "a/b", "a?b", "a#b", "a\\b", "a\"b", "m\u{fc}nchen.example", "%2", "%zz",
    "a\u{0}", "a\tb", "[::1]:80.evil.com", "a:8\u{660}",
  ])
  func `H1: an invalid authority is refused`(text: String) {
    #expect(Authority(text) == nil)
  }

  @Test func `H1: a missing port equals the scheme's default port`() throws {
    let (withoutPort, withPort80) = (try #require(Authority("a")), try #require(Authority("A:80")))
    #expect(withoutPort.isSame(as: withPort80, in: "http"))
    #expect(!withoutPort.isSame(as: withPort80, in: "https"))
  }
}
