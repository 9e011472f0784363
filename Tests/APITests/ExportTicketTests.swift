import API
import Access
import CivilTime
import JSON
import Testing

/// Rule H10: a browser saves a recipient's export without sending a token.
@Suite struct ExportTicketTests {
  private func serving(
    _ tokens: FakeTokens, _ body: (TestServer) async throws -> Void
  ) async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    for recipient in ["u1", "u2"] { try await service.ingest("relapse", [:], of: recipient) }
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens), body)
  }

  private func ticket(
    of recipient: String, bearing token: String, _ server: TestServer
  ) async throws -> Reply {
    try await server.call(
      "POST", "/v1/recipients/\(recipient)/export-tickets",
      headers: ["authorization": "Bearer \(token)"])
  }

  @Test func `H10: an export ticket is valid for one export of one recipient`() async throws {
    let tokens = FakeTokens()
    try await serving(tokens) { server in
      let reply = try await ticket(of: "u1", bearing: tokens.make(.recipient("u1")), server)
      #expect(reply.status == 201 && reply["cache-control"] == "no-store")
      let path = try #require(try reply.json["path"]?.stringValue)
      let file = try await server.call("GET", path, isOverTCP: true)
      #expect(file.status == 200 && file.contentType == "application/json")
      #expect(try file.json["recipient"] == "u1")
      let day = Fixtures.now.description.prefix(10)
      #expect(
        file["content-disposition"] == "attachment; filename=\"chimed-person-\(day).json\"")
      #expect(file["cache-control"] == "no-store")
      #expect(try await server.call("GET", path, isOverTCP: true).status == 404)
      let backupPath = path.replacing("/v1/exports/", with: "/v1/backup/")
      #expect(try await server.call("GET", backupPath, isOverTCP: true).status == 404)
    }
  }

  @Test func `a caller without access gets no export ticket`() async throws {
    let tokens = FakeTokens()
    try await serving(tokens) { server in
      let foreignTicket = try await ticket(of: "u2", bearing: tokens.make(.recipient("u1")), server)
      #expect(foreignTicket.status == 403)
      let support = tokens.make(.support)
      #expect(try await ticket(of: "u1", bearing: support, server).status == 403)
      let headers = ["authorization": "Bearer \(support)"]
      _ = try await server.call("POST", "/v1/recipients/u1/text-views", headers: headers)
      #expect(try await ticket(of: "u1", bearing: support, server).status == 201)
      #expect(try await ticket(of: "u2", bearing: support, server).status == 403)
      #expect(
        try await ticket(of: "nobody", bearing: tokens.make(.administrator), server).status == 404)
    }
  }
}
