import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import API

/// Rule D17 over HTTP, with retries on the way: which text was used, and why.
@Suite(.timeLimit(.minutes(1))) struct DiscreetTextTests {
  private static let path = "/v1/recipients/sarah"
  private static let text = "You have a new notification"

  private static func service(_ reply: @escaping LiveService.Reply) async throws -> LiveService {
    let service = try LiveService("imanpath", at: "2026-03-02T12:00:00.000Z", reply: reply)
    try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "sarah")
    try await service.ingest("relapse", of: "sarah")
    return service
  }

  private static func explained(_ server: TestServer, _ query: String) async throws -> JSONValue? {
    try await server.get(path + "/explain?" + query).json["explanations"]?.arrayValue?.first
  }

  @Test func `D17: explain gives the text of a pending notification, and the reason`() async throws
  {
    let service = try await Self.service { $0.map { _ in SinkAnswer(.delivered) } }
    try await TestServer.serving(service) { server in
      func discreet() async throws -> JSONValue? {
        try await Self.explained(server, "reminder=relapse-recovery-reminder")?["discreet"]
      }
      #expect(
        try await discreet() == [
          [
            "channel": "push", "text": .string(Self.text),
            "because": "the category RECOVERY declares discreet texts on push",
          ]
        ])
      try await service.ingest(
        "preferences.updated", ["hints": ["preview": "never"]], of: "sarah")
      #expect(
        try await discreet()?.arrayValue?.first?["because"] == "the recipient's preview is never")
      try await service.ingest(
        "preferences.updated", ["hints": ["preview": "always", "discreet": false]], of: "sarah")
      #expect(try await discreet() == nil)
    }
  }

  @Test func `D17: a retry sends the discreet text, and the person reads the whole`() async throws {
    let service = try await Self.service { batch in
      batch.map { _ in SinkAnswer(.retry(after: nil, reason: "busy")) }
    }
    try service.run(to: "2026-03-03T08:00:00Z")
    #expect(service.delivered == [])
    service.reply { $0.map { _ in SinkAnswer(.delivered) } }
    // The recipient's later choice changes neither the record nor its retries.
    try await service.ingest(
      "preferences.updated", ["hints": ["preview": "always", "discreet": false]], of: "sarah")
    try service.run(to: "2026-03-03T09:00:00Z")
    let recovery = service.delivered.filter { $0.category == "RECOVERY" }
    #expect(recovery.map(\.title) == [Self.text] && recovery.map(\.body) == [""])
    try await TestServer.serving(service) { server in
      let recent = try await server.get(Self.path + "/notifications").json["notifications"]
      let entry = try #require(recent?.arrayValue?.first { $0["category"] == "RECOVERY" })
      #expect(entry["title"] == "A New Beginning" && entry["body"] != "")
      let identifier = try #require(entry["id"]?.stringValue)
      let past = try await Self.explained(server, "notification=\(identifier)")
      #expect(past?["discreet"]?.arrayValue?.first?["text"] == .string(Self.text))
    }
  }

  @Test func `N5: a device schedules the text that push would show`() async throws {
    let service = try await Self.service { $0.map { _ in SinkAnswer(.delivered) } }
    try await TestServer.serving(service) { server in
      let page = try await server.get(Self.path + "/projection").json["projection"]
      let entry = page?.arrayValue?.first { $0["category"] == "RECOVERY" }
      #expect(entry?["title"] == .string(Self.text) && entry?["body"] == "")
      let others = page?.arrayValue?.filter { $0["category"] != "RECOVERY" } ?? []
      #expect(!others.isEmpty && others.allSatisfy { $0["title"] != .string(Self.text) })
    }
  }
}
