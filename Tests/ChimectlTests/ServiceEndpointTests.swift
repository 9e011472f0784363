import ArgumentParser
import Testing

@testable import chimectl

/// Addresses of services, and their tokens.
@Suite struct ServiceEndpointTests {
  private func failure(_ url: String, _ token: String? = "t") -> CommandError? {
    do {
      _ = try ServiceEndpoint(url: url, token: token)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "https://chimed.example.org", "https://example.org/chimed/", "http://127.0.0.1:7411",
    "http://localhost:7411", "http://[::1]:7411", "http://127.1.2.3",
  ])
  func `a service at a URL needs a token`(url: String) throws {
    let endpoint = try ServiceEndpoint(url: url, token: "t")
    #expect(endpoint.address == .url(url))
    #expect(endpoint.token == "t")
    #expect(failure(url, nil)?.message.contains("requires a token") == true)
    #expect(failure(url, "")?.message.contains("requires a token") == true)
  }

  @Test(arguments: [
    "http://example.org", "http://10.0.0.1:7411", "http://localhost.example.org",
    "http://[::2]:7411", "http://127.example.org", "http://127.0.0.1.example.org",
    "http://[::1.example.org]",
  ])
  func `no token is sent unencrypted to another machine`(url: String) {
    #expect(failure(url)?.message.contains("would send the token") == true)
  }

  @Test(arguments: [
    "", "example.org", "/run/s", "ftp://example.org", "https:/x", "https://", "https://a?b",
    "https://a b", "https://user:secret@example.org", "http://localhost:x@example.org",
  ])
  func `an invalid URL is refused`(url: String) {
    #expect(failure(url)?.code == .usage)
    #expect(failure(url)?.message.contains("is not a valid address of a service") == true)
  }

  @Test func `a Unix socket needs no token`() {
    let endpoint = ServiceEndpoint(socket: "/run/a b")
    #expect(endpoint.address == .socket("/run/a b") && endpoint.token == nil)
  }

  @Test func `a socket and a URL exclude each other`() {
    #expect(throws: (any Error).self) {
      try ConnectionOptions.parse(["--socket", "/s", "--url", "https://a"])
    }
  }
}
