import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import API

/// Rule D12: services of sinks report deliveries by `POST /v1/receipts/{sink}`.
@Suite(.timeLimit(.minutes(1))) struct ReceiptTests {
  private let service: LiveService
  private let readers = CurrentServiceReaders(
    ServiceReaders(receipts: ["test": PlainReceiptReader()]))

  /// Amina and Bilal get a check-in at 21:00 from the sink "test".
  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T12:00:00Z") { $0.map { _ in .delivered } }
    for name in ["amina", "bilal"] { try await service.ingest("streak.started", of: name) }
    try service.run(to: "2026-03-02T21:00:00Z")
  }

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.serving(service, access: APIAccess(serviceReaders: readers), body)
  }

  private func identifier(of name: String) throws -> String {
    try #require(service.delivered.first { $0.recipient == name }).identifier
  }

  private func outcome(_ server: TestServer, of name: String) async throws -> JSONValue? {
    let reply = try await server.get("/v1/recipients/\(name)/notifications?outcome=any")
    return try reply.json["notifications"]?[0]?["outcome"]
  }

  private func metrics(_ server: TestServer) async throws -> [Substring] {
    try await server.get("/metrics").text.split(separator: "\n").filter {
      $0.hasPrefix("chimed_receipts_total{")
    }
  }

  @Test func `D12: a report changes only its own delivery, and a repetition changes nothing`()
    async throws
  {
    try await serving { server in
      let amina = try identifier(of: "amina")
      for _ in 1...2 {
        let reply = try await server.post("secret \(amina) received", to: "/v1/receipts/test")
        #expect(reply.status == 204 && reply.text.isEmpty)
      }
      #expect(try await outcome(server, of: "amina") == "received")
      #expect(try await outcome(server, of: "bilal") == "accepted")
      let events = try await server.get("/v1/recipients/amina/events").json["events"]?.arrayValue
      #expect(events?.count { $0["type"] == "delivery.reported" } == 1)
      #expect(
        try await metrics(server) == [
          #"chimed_receipts_total{sink="test",outcome="accepted"} 2"#
        ])
    }
  }

  @Test func `D12: a repetition with other words changes nothing and counts as accepted`()
    async throws
  {
    try await serving { server in
      let amina = try identifier(of: "amina")
      for reason in ["mailbox full", "over quota"] {
        let reply = try await server.post(
          "secret \(amina) failed \(reason)", to: "/v1/receipts/test")
        #expect(reply.status == 204)
      }
      #expect(try await outcome(server, of: "amina") == "failed")
      let events = try await server.get("/v1/recipients/amina/events").json["events"]?.arrayValue
      let reports = events?.filter { $0["type"] == "delivery.reported" } ?? []
      #expect(reports.map { $0["data"]?["reason"] } == ["mailbox full"])
      #expect(
        try await metrics(server) == [
          #"chimed_receipts_total{sink="test",outcome="accepted"} 2"#
        ])
    }
  }

  @Test func `D12: an id may end with the delivery's channel, but with no other channel`()
    async throws
  {
    try await serving { server in
      let amina = try identifier(of: "amina")
      for channel in ["email", "fax"] {
        _ = try await server.post("secret \(amina)-\(channel) received", to: "/v1/receipts/test")
      }
      #expect(try await outcome(server, of: "amina") == "accepted")
      _ = try await server.post("secret \(amina)-push received", to: "/v1/receipts/test")
      #expect(try await outcome(server, of: "amina") == "received")
    }
  }

  private static let twoChannels = """
    catalog: visits
    events:
      visit.due: {}
    categories:
      VISIT: {title: Visits, channels: {email: true, sms: true, inapp: true}}
    groups:
      visits: {enabled: true}
    reminders:
      visit:
        category: VISIT
        group: visits
        on: {event: visit.due, delay: 1s}
        expires: 2h
        messages: [{title: Visit, body: Come.}]
    """

  @Test func `D12: an id without a channel names no delivery if the sink had several`() async throws
  {
    let service = try LiveService(text: Self.twoChannels, at: "2026-03-02T12:00:00Z") {
      $0.map { _ in .delivered }
    }
    try await service.ingest(
      "recipient.updated", ["email": "amina@example.org", "phone": "+3221234567"], of: "amina")
    try await service.ingest("visit.due", of: "amina")
    try service.run(to: "2026-03-02T12:00:02Z")
    let id = try #require(service.delivered.first).identifier
    try await TestServer.serving(service, access: APIAccess(serviceReaders: readers)) { server in
      func suppressed() async throws -> [JSONValue?]? {
        try await server.get("/v1/recipients/amina").json["suppressed"]?.arrayValue?
          .map { $0["channel"] }
      }
      _ = try await server.post("secret \(id) bounced", to: "/v1/receipts/test")
      #expect(try await suppressed() == [])
      #expect(
        try await metrics(server) == [#"chimed_receipts_total{sink="test",outcome="unknown"} 1"#])
      _ = try await server.post("secret \(id)-sms bounced", to: "/v1/receipts/test")
      #expect(try await suppressed() == ["sms"])
    }
  }

  @Test func `D12: a forged request changes nothing`() async throws {
    try await serving { server in
      let reply = try await server.post(
        "wrong \(identifier(of: "amina")) received", to: "/v1/receipts/test")
      #expect(reply.status == 401)
      #expect(try await outcome(server, of: "amina") == "accepted")
      #expect(
        try await metrics(server) == [#"chimed_receipts_total{sink="test",outcome="refused"} 1"#])
    }
  }

  @Test func `D12: reports of unknown deliveries are answered alike and counted`() async throws {
    try await serving { server in
      for id in ["x-1", "k3x", "", service.delivered[0].identifier + "0"] {
        let reply = try await server.post("secret \(id) received", to: "/v1/receipts/test")
        #expect(reply.status == 204)
      }
      #expect(
        try await metrics(server) == [#"chimed_receipts_total{sink="test",outcome="unknown"} 4"#])
    }
  }

  @Test func `D12: a sink cannot report the deliveries of another one`() async throws {
    readers.value.receipts["other"] = PlainReceiptReader()
    try await serving { server in
      let id = try identifier(of: "amina")
      let reply = try await server.post("secret \(id) received", to: "/v1/receipts/other")
      #expect(reply.status == 204)
      #expect(try await outcome(server, of: "amina") == "accepted")
    }
  }

  @Test func `D12: a malformed body is answered 400, and a sink without receipts 404`() async throws
  {
    try await serving { server in
      let malformed = try await server.post("secret", to: "/v1/receipts/test")
      let unknown = try await server.post("secret a received", to: "/v1/receipts/none")
      let read = try await server.get("/v1/receipts/test")
      #expect([malformed, unknown, read].map(\.status) == [400, 404, 405])
    }
  }

  @Test func `D10: a bounce is shown as a suppressed address`() async throws {
    try await service.ingest("recipient.updated", ["email": "a@b.example"], of: "amina")
    let data: JSONValue = [
      "notification": .string(try identifier(of: "amina")), "channel": "email", "state": "bounced",
    ]
    try await service.ingest("delivery.reported", data, of: "amina")
    try await serving { server in
      let suppressed = try await server.get("/v1/recipients/amina").json["suppressed"]
      #expect(
        suppressed == [
          ["channel": "email", "reason": "bounced", "since": "2026-03-02T21:00:00.000Z"]
        ])
    }
  }
}

/// Reads a body such as "secret k3x-17 failed mailbox full". Words after the state are optional.
private struct PlainReceiptReader: ReceiptReader {
  func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent {
    let words = String(decoding: request.body, as: UTF8.self)
      .split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.first == "secret" else { throw .forged("no secret") }
    guard words.count > 2, let state = DeliveryReport.State(rawValue: String(words[2])) else {
      throw .malformed("three words are needed")
    }
    let reason = words.count > 3 ? String(words[3]) : ""
    return ReceiptContent(
      reports: [ServiceReport(delivery: String(words[1]), state: state, reason: reason)])
  }
}
