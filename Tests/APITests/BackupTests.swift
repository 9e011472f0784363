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

  /// A browser saves the copy without sending a token (rule H10).
  @Test func `H10: a backup ticket is valid for one copy`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    let tokens = FakeTokens()
    let access = APIAccess(tokens: tokens)
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: access
    ) { server in
      let bearer = ["authorization": "Bearer " + tokens.make(.support)]
      let denied = try await server.call("POST", "/v1/backup-tickets", headers: bearer)
      #expect(denied.status == 403)
      let ticket = try await server.call("POST", "/v1/backup-tickets")
      #expect(ticket.status == 201 && ticket["cache-control"] == "no-store")
      let path = try #require(try ticket.json["path"]?.stringValue)
      let copy = try await server.call("GET", path, isOverTCP: true)
      #expect(copy.status == 200 && copy.text.hasPrefix("SQLite format 3"))
      let date = Fixtures.now.description.prefix(10)
      #expect(copy["content-disposition"] == "attachment; filename=\"chimed-\(date).sqlite\"")
      #expect(try await server.call("GET", path, isOverTCP: true).status == 404)
      let unknownTicket = try await server.call("GET", "/v1/backup/chimed_x", isOverTCP: true)
      #expect(try unknownTicket.json["type"] == "urn:chimed:problem:unknown-token")
    }
  }

  @Test func `H10: a console ticket does not give access to a backup`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    let access = APIAccess(tokens: FakeTokens())
    try await TestServer.serving(service, access: access) { server in
      let consolePath = try await server.post("{}", to: "/v1/console/tickets").json["path"]?
        .stringValue
      let ticket = try #require(consolePath).trimmingPrefix("/console/#t=")
      #expect(try await server.get("/v1/backup/\(ticket)").status == 404)
    }
  }
}
