import Access
import Testing

/// The URL with which links in notifications begin.
@Suite struct PublicURLTests {
  @Test(arguments: [
    ("https://notify.example.org/", "https://notify.example.org", "notify.example.org"),
    ("https://x.org:8443/a/b", "https://x.org:8443/a/b", "x.org"),
  ])
  func `H27: a public address has a host and no slash at its end`(
    text: String, url: String, host: String
  ) throws {
    let publicURL = try #require(PublicURL(text))
    #expect(publicURL.description == url && publicURL.host == host)
  }

  @Test(arguments: [
    "", "notify.example.org", "http://x.org", "https://", "https:///a", "https://x.org/?a",
    "https://x.org/#a", "https://x.org/<>", "https://u:p@x.org", "https://x.org:0",
    "https://x.org:", "https://x.org:+80",
    "https://x.org/\u{E9}", "https://\(String(repeating: "a", count: 200))",
  ])
  func `H27: any other text is rejected`(text: String) {
    #expect(PublicURL(text) == nil)
  }
}
