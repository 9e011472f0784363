import JSON
import Testing

@testable import API

/// Rule H7 over HTTP: data that is going to be removed.
@Suite(.timeLimit(.minutes(1))) struct RetentionRouteTests {
  @Test(arguments: ["attempts", "events", "notifications", "analytics", "usage"])
  func `H7: for each part of the data, the answer states how much is old`(part: String) async throws
  {
    let service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z")
    try await service.ingest("relapse", of: "amina")
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/retention?part=\(part)")
      #expect(
        try reply.json == [
          "part": .string(part), "kept": nil, "count": 0, "oldest": nil, "next": nil,
        ])
    }
  }

  @Test(arguments: ["", "?part=", "?part=people", "?part=events&after=x", "?after=1"])
  func `an invalid query of retention is refused`(query: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/retention" + query)
      #expect(reply.status == 400 && reply.contentType == "application/problem+json")
    }
  }
}
