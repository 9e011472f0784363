import Access
import JSON
import Testing

/// The list of recipients, page by page.
@Suite(.timeLimit(.minutes(1))) struct RecipientListTests {
  private static let names = ["a", "amina", "amina/2", "a\u{301}", "bilal", "Zaid", "ü%_"]

  private let service: LiveService

  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z")
    for name in Self.names { try await service.ingest("relapse", of: name) }
  }

  private func names(_ page: JSONValue) -> [String] {
    (page["recipients"]?.arrayValue ?? []).compactMap { $0["recipient"]?.stringValue }
  }

  @Test func `each recipient is listed once, in the order of bytes`() async throws {
    try await TestServer.serving(service) { server in
      for limit in [1, 2, 3, 7, 1_000] {
        var (listedNames, after): ([String], String?) = ([], "")
        while let cursor = after {
          let query = cursor.isEmpty ? "" : "&after=\(escaped(cursor))"
          let page = try await server.get("/v1/recipients?limit=\(limit)" + query).json
          listedNames += names(page)
          after = page["next"]?.stringValue
        }
        let expected = Self.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(
          listedNames.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(limit) a page")
      }
    }
  }

  @Test func `a prefix limits the list of recipients`() async throws {
    try await TestServer.serving(service) { server in
      func namesListed(_ query: String) async throws -> [String] {
        names(try await server.get("/v1/recipients?" + query).json)
      }
      #expect(try await namesListed("prefix=amina") == ["amina", "amina/2"])
      #expect(try await namesListed("prefix=amina&after=amina") == ["amina/2"])
      #expect(try await namesListed("prefix=amina&after=Zaid") == ["amina", "amina/2"])
      #expect(try await namesListed("prefix=amina&after=bilal").isEmpty)
      #expect(try await namesListed("prefix=\(escaped("ü%_"))") == ["ü%_"])
      #expect(try await namesListed("prefix=%25").isEmpty)
      #expect(try await namesListed("prefix=nobody").isEmpty)
      let page = try await server.get("/v1/recipients?prefix=amina&limit=1").json
      #expect(page["next"] == "amina")
      #expect(page["recipients"]?[0]?["pending"]?.integerValue ?? 0 > 0)
      #expect(page["recipients"]?[0]?["due"] == "2026-03-02T21:00:00.000Z")
    }
  }

  @Test func `H26: a search finds ids, names, addresses and numbers`() async throws {
    try await service.ingest(
      "recipient.updated",
      ["name": "Bilâl Öz", "email": "b.oz@example.org", "phone": "+90 (212) 555 01 23"],
      of: "bilal")
    try await TestServer.serving(service) { server in
      func namesFound(_ text: String) async throws -> [String] {
        names(try await server.get("/v1/recipients?search=\(escaped(text))").json)
      }
      for text in ["ilal", "bilÂL ö", "B.OZ@", "0212 555", "+90 212 5550123", "01.23"] {
        #expect(try await namesFound(text) == ["bilal"], "\(text)")
      }
      #expect(try await namesFound("amina") == ["amina", "amina/2"])
      #expect(try await namesFound("z") == ["bilal", "Zaid"])
      #expect(
        try await namesFound("Z") == ["Zaid", "bilal"], "ids that begin with the text are first")
      for text in ["212x", "nobody", "99"] {
        #expect(try await namesFound(text).isEmpty, "\(text)")
      }
      let page = try await server.get("/v1/recipients?search=\(escaped("öz"))").json
      #expect(page["recipients"]?[0]?["name"] == "Bilâl Öz")
      #expect(page["recipients"]?[0]?["due"] == "2026-03-02T21:00:00.000Z")
    }
  }

  @Test(arguments: [
    "limit=0", "limit=1001", "limit=x", "prefixes=a", "prefix=%ff", "search=",
    "search=a&prefix=a", "search=a&after=x",
  ])
  func `an invalid query of recipients is refused`(query: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/recipients?" + query)
      #expect(reply.status == 400)
    }
  }

  private func escaped(_ text: String) -> String {
    text.utf8.map { "%" + String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
  }
}
