import API
import Access
import CivilTime
import JSON
import Testing

@Suite struct BackupTests {
  @Test func `a backup is an SQLite database`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    try await service.ingest("relapse", [:], of: "u1")
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/backup")
      #expect(reply.status == 200)
      #expect(reply["content-type"] == "application/vnd.sqlite3")
      #expect(reply.text.hasPrefix("SQLite format 3"))
    }
  }

  /// Rule H5: a browser saves the copy without sending a token.
  @Test func `a backup ticket is good for one copy`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    let tokens = FakeTokens()
    let access = APIAccess(tokens: tokens)
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: access
    ) { server in
      let bearer = ["authorization": "Bearer " + tokens.make(.support)]
      let denied = try await server.call("POST", "/v1/backup-tickets", headers: bearer)
      #expect(denied.status == 403)
      let made = try await server.call("POST", "/v1/backup-tickets")
      #expect(made.status == 201 && made["cache-control"] == "no-store")
      let path = try #require(try made.json["path"]?.stringValue)
      let copy = try await server.call("GET", path, isOverTCP: true)
      #expect(copy.status == 200 && copy.text.hasPrefix("SQLite format 3"))
      let day = Fixtures.now.description.prefix(10)
      #expect(copy["content-disposition"] == "attachment; filename=\"chimed-\(day).sqlite\"")
      #expect(try await server.call("GET", path, isOverTCP: true).status == 404)
      let other = try await server.call("GET", "/v1/backup/chimed_x", isOverTCP: true)
      #expect(try other.json["type"] == "urn:chimed:problem:unknown-token")
    }
  }

  @Test func `a console ticket does not open a backup`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    let access = APIAccess(tokens: FakeTokens())
    try await TestServer.serving(service, access: access) { server in
      let console = try await server.post("{}", to: "/v1/console/tickets").json["path"]?.stringValue
      let ticket = try #require(console).trimmingPrefix("/console/#t=")
      #expect(try await server.get("/v1/backup/\(ticket)").status == 404)
    }
  }
}
