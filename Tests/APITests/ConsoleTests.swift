import Access
import Engine
import JSON
import NIOCore
import Testing

@testable import API

/// The files of the console, as served to a browser.
@Suite(.timeLimit(.minutes(1))) struct ConsoleTests {
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'
    """

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  @Test func `every file is served with its type and all policy headers`() async throws {
    try await TestServer.serving(FakeService(), listen: TCPAddress("127.0.0.1:0")) { server in
      for (name, file) in ConsoleFile.all {
        for isOverTCP in [false, true] {
          let reply = try await server.perform("GET", "/console/" + name, isOverTCP: isOverTCP)
          #expect(reply.status == 200)
          let suffix = name.split(separator: ".").last.map(String.init) ?? ""
          #expect(reply.contentType == Self.types[suffix])
          #expect(reply["content-security-policy"] == Self.policy)
          #expect(reply["x-content-type-options"] == "nosniff")
          #expect(reply["referrer-policy"] == "no-referrer")
          #expect(reply["cross-origin-opener-policy"] == "same-origin")
          #expect(reply["cross-origin-resource-policy"] == "same-origin")
          #expect(reply.bytes == Array(file.body.readableBytesView))
        }
      }
      let page = try await server.perform("GET", "/console/")
      #expect(page.text.hasPrefix("<!DOCTYPE html>"))
      #expect(try await server.perform("GET", "/console/none.js").status == 404)
    }
  }

  /// From other hosts, the policy allows only pictures, and only if the host is configured.
  @Test func `pictures may come from the hosts that the operator configures`() async throws {
    let images = try ["images.example.org", "CDN.example.org:8443"].map {
      try #require(ImageHost($0))
    }
    let access = APIAccess(tokens: FakeTokens(), console: ConsoleSettings(images: images))
    try await TestServer.serving(FakeService(), access: access) { server in
      let policy = try await server.perform("GET", "/console/")["content-security-policy"]
      let defaultSources = "img-src 'self' data:"
      let allSources = defaultSources + " https://images.example.org https://cdn.example.org:8443"
      #expect(policy == Self.policy.replacing(defaultSources, with: allSources))
      let session = try await server.get("/v1/console/session").json
      #expect(session["images"] == ["images.example.org", "cdn.example.org:8443"])
    }
  }

  @Test(arguments: [
    "", "https://images.example.org", "images.example.org; script-src *", "a b", "*",
    "*.example.org", "'unsafe-inline'", "images.example.org/path", "images.example.org:x",
    "a,b", "[::1]",
  ])
  func `an invalid image host is refused`(text: String) {
    #expect(ImageHost(text) == nil)
  }

  @Test func `an image host omits the default port`() {
    #expect(ImageHost("images.example.org:443")?.description == "images.example.org")
  }

  @Test func `a cached file is answered 304`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let path = "/console/main.js"
      let tag = try #require(try await server.perform("GET", path)["etag"])
      for value in [tag, "W/" + tag, "\"other\", " + tag, "*"] {
        let reply = try await server.perform("GET", path, headers: ["if-none-match": value])
        #expect(reply.status == 304 && reply.bytes.isEmpty)
        #expect(reply["content-security-policy"] == Self.policy)
      }
      let other = try await server.perform("GET", path, headers: ["if-none-match": "\"other\""])
      #expect(other.status == 200)
      let head = try await server.perform("HEAD", path)
      #expect(head.status == 200 && head.bytes.isEmpty && head["etag"] == tag)
    }
  }

  /// A link may open the page, but only the page may load its parts.
  @Test func `other sites may link to the console but not load its parts`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let foreign = ["sec-fetch-site": "cross-site"]
      let page = try await server.perform("GET", "/console/", headers: foreign)
      let script = try await server.perform("GET", "/console/main.js", headers: foreign)
      #expect(page.status == 200 && script.status == 403)
    }
  }

  @Test(arguments: [(true, 302, 200), (false, 404, 404)])
  func `the console is served completely or not at all`(
    isServed: Bool, redirectStatus: Int, pageStatus: Int
  ) async throws {
    let access = APIAccess(tokens: FakeTokens(), console: isServed ? ConsoleSettings() : nil)
    try await TestServer.serving(FakeService(), access: access) { server in
      // The client of `perform` would follow the redirect.
      for path in ["/", "/console"] {
        var answer = ""
        try await RawConnection.opened(to: server) { connection in
          try await connection.send("GET \(path) HTTP/1.1\r\nConnection: close\r\n\r\n")
          answer = try await connection.receiveAll()
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(redirectStatus) "))
        #expect(answer.contains("Location: /console/\r\n") == isServed)
      }
      #expect(try await server.perform("GET", "/console/").status == pageStatus)
      let ticket = try await server.perform("POST", "/v1/console/tickets", body: "{}")
      #expect(ticket.status == (isServed ? 201 : 404))
    }
  }

  /// The size of a page is limited, so that a browser shows it at once. The size includes the files
  /// of the page, their imports, and the words of one language. All pages together may be a third
  /// larger.
  @Test(arguments: ["en", "ar", "de"]) func `every page stays within its size budget`(
    language: String
  ) throws {
    let main = try text(of: "main.js")
    let frame = ["index.html", "base.css", "parts.css", "mark.svg", "main.js"]
    let words = ["words", "words-service", "words-operator"].map { "\($0)-\(language).js" }
    let pages = main.matches(of: /import\("\.\/([\w-]+\.js)"\)/).map { String($0.output.1) }
    #expect(pages.count >= 9)
    for page in pages {
      #expect(try size(of: frame + words + [page]) <= 120_000, "\(page)")
    }
    #expect(try size(of: frame + words + pages) <= 160_000)
  }

  private func text(of name: String) throws -> String {
    String(buffer: try #require(ConsoleFile.all[name], "\(name)").body)
  }

  /// The size of files including their imports.
  private func size(of files: [String]) throws -> Int {
    var (visited, remaining, size) = (Set<String>(), files, 0)
    while let name = remaining.popLast() {
      guard visited.insert(name).inserted else { continue }
      let text = try text(of: name)
      size += text.utf8.count
      remaining += text.matches(of: /from "\.\/([\w-]+\.js)"/).map { String($0.output.1) }
    }
    return size
  }
}
