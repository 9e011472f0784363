import Access
import Testing

/// The address of links in notifications.
@Suite struct PublicURLTests {
  @Test(arguments: [
    ("https://notify.example.org/", "https://notify.example.org", "notify.example.org"),
    ("https://x.org:8443/a/b", "https://x.org:8443/a/b", "x.org"),
  ])
  func `H27: a public address has a host and no slash at its end`(
    text: String, url: String, host: String
  ) throws {
    let read = try #require(PublicURL(text))
    #expect(read.description == url && read.host == host)
  }

  @Test(arguments: [
    "", "notify.example.org", "http://x.org", "https://", "https:///a", "https://x.org/?a",
    "https://x.org/#a", "https://x.org/<>", "https://u:p@x.org", "https://x.org:0",
    "https://x.org:",
    "https://x.org/\u{E9}", "https://\(String(repeating: "a", count: 200))",
  ])
  func `H27: another text is no public address`(text: String) {
    #expect(PublicURL(text) == nil)
  }
}
