import Sinks
import Testing

/// Parsing of the URLs to which sinks send.
@Suite struct HTTPURLTests {
  @Test(arguments: [
    ("https://hooks.example/a/b?c=d%20e", "hooks.example", 443, true),
    ("HTTP://Hooks.Example:8080", "hooks.example", 8080, false),
    ("https://hooks.example?key=1", "hooks.example", 443, true),
    ("http://127.0.0.1:1/", "127.0.0.1", 1, false),
    ("https://[2001:db8::1]:65535/x", "2001:db8::1", 65_535, true),
    ("http://[::1]/", "::1", 80, false),
    ("http://under_score.example/", "under_score.example", 80, false),
  ])
  func `a valid URL is read`(text: String, host: String, port: Int, isSecure: Bool) throws {
    let url = try HTTPURL(text)
    #expect(url.host == host)
    #expect(url.port == port)
    #expect(url.isSecure == isSecure)
  }

  @Test(arguments: [
    ("ftp://hooks.example/", "must begin with https:// or http://"),
    ("hooks.example", "must begin with https:// or http://"),
    ("https:hooks.example", "must begin with https:// or http://"),
    ("file:///etc/passwd", "must begin with https:// or http://"),
    ("https://me:pass@hooks.example/", "must not name a user or password"),
    ("https://127.0.0.1@hooks.example/", "must not name a user or password"),
    ("https:///path", "needs the name or the address of a host"),
    ("https://:443/", "needs the name or the address of a host"),
    ("https://a..b/", "needs the name or the address of a host"),
    ("https://a.b./", "needs the name or the address of a host"),
    ("https://[::1", "has a [ without a ]"),
    ("https://[fe80::1%25lo]/", "needs the name or the address of a host"),
    ("https://[127.0.0.1]/", "needs the name or the address of a host"),
    ("https://a%2eb/", "needs the name or the address of a host"),
    ("https://a,b/", "needs the name or the address of a host"),
    ("https://hooks.example:0/", "has an invalid port: it must be from 1 to 65535"),
    ("https://hooks.example:65536/", "has an invalid port: it must be from 1 to 65535"),
    ("https://hooks.example:/", "has an invalid port: it must be from 1 to 65535"),
    ("https://hooks.example:+1/", "has an invalid port: it must be from 1 to 65535"),
    (
      "https://hooks.example/a b",
      "has a character that must be percent-encoded; in a host name, use the xn-- form"
    ),
    (
      "https://hooks.example/\r\nX: y",
      "has a character that must be percent-encoded; in a host name, use the xn-- form"
    ),
    (
      "https://bücher.example/",
      "has a character that must be percent-encoded; in a host name, use the xn-- form"
    ),
    (
      "https://hooks.example\\@other.example/",
      "has a character that must be percent-encoded; in a host name, use the xn-- form"
    ),
    (
      "https://hooks.example/#part",
      "has a character that must be percent-encoded; in a host name, use the xn-- form"
    ),
  ])
  func `an invalid URL is reported without repeating it`(text: String, reason: String) {
    let fault = #expect(throws: HTTPURL.ParsingError.self) { try HTTPURL(text) }
    #expect(fault?.description == reason)
  }

  /// Without a port, libcurl uses port 1080 of a proxy.
  @Test(arguments: [
    ("http://proxy.example", "http://proxy.example:80"),
    ("http://Proxy.Example:80/", "http://proxy.example:80"),
    ("https://proxy.example/", "https://proxy.example:443"),
    ("https://proxy.example:443", "https://proxy.example:443"),
    ("http://proxy.example:3128/", "http://proxy.example:3128"),
    ("http://[2001:db8::1]/", "http://[2001:db8::1]:80"),
  ])
  func `the URL of a proxy always names its port`(text: String, proxy: String) throws {
    #expect(try HTTPURL(text).proxyText == proxy)
  }

  @Test func `only scheme and host are shown`() throws {
    let url = try HTTPURL("https://hooks.example:8443/services/T0KEN?key=T0KEN")
    var dumped = ""
    dump(url, to: &dumped)
    for text in ["\(url)", String(reflecting: url), "\([url])", dumped] {
      #expect(text.contains("https://hooks.example"))
      #expect(!text.contains("T0KEN"))
    }
  }
}
