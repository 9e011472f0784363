import JSON
import Testing

@Suite struct BackupTests {
  @Test func theCopyIsADatabase() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T00:00:00Z")
    try await service.take("relapse", [:], of: "u1")
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/backup")
      #expect(reply.status == 200)
      #expect(reply["content-type"] == "application/vnd.sqlite3")
      #expect(reply.text.hasPrefix("SQLite format 3"))
    }
  }
}
