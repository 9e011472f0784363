import Access
import CivilTime
import Dispatch
import HTTPTransfers
import JSON
import Reminders
import TestSupport
import Testing

@testable import API
@testable import Engine

/// Any node accepts a request, and the recipient's owner answers it (rules F3, F9).
@Suite struct ForwardingTests {
  private let fleet = FakeFleet()
  private let services: [FakeService]

  init() throws {
    services = try (0..<3).map { _ in try FakeService() }
    for (recipient, node) in ["ua": "a", "ub": "b", "uc": "c"] { fleet.give(recipient, to: node) }
  }

  private func event(_ identifier: String, of recipient: String) -> String {
    Fixtures.event(identifier, of: recipient)
  }

  /// Events for recipients of different nodes.
  private var mixedEvents: [(id: String, recipient: String)] {
    (0..<12).map { ("e\($0)", ["ua", "ub", "uc", "ub"][$0 % 4]) }
  }

  @Test func `F3: a batch is divided and its results come in order`() async throws {
    var lines = mixedEvents.map { event($0.id, of: $0.recipient) }
    lines.insert("{}", at: 5)
    try await fleet.serving(services) { nodes in
      let reply = try await nodes[0].post("[\(lines.joined(separator: ","))]")
      #expect(reply.status == 207)
      let items = try #require(try reply.json["items"]?.arrayValue)
      #expect(items.map { $0["index"] } == (0..<13).map { .integer(Int64($0)) })
      var ids: [JSONValue?] = mixedEvents.map { .string($0.id) }
      ids.insert(nil, at: 5)
      #expect(items.map { $0["id"] } == ids)
      #expect(items.map { $0["status"] == "accepted" } == (0..<13).map { $0 != 5 })
      let again = try await nodes[1].post("[\(lines.joined(separator: ","))]").json
      #expect(again["duplicate"] == 12)
    }
    for (service, recipient) in zip(services, ["ua", "ub", "uc"]) {
      let ids = mixedEvents.filter { $0.recipient == recipient }.map(\.id)
      #expect(service.groups == [ids, ids])
    }
  }

  @Test func `F3: a stream of events is divided like a batch`() async throws {
    let lines = mixedEvents.map { event($0.id, of: $0.recipient) }.joined(separator: "\n")
    try await fleet.serving(services) { nodes in
      let answers = try await nodes[2].post(lines, as: "application/x-ndjson").lines
      #expect(answers.map { $0["line"] } == (1...12).map { .integer($0) })
      #expect(answers.map { $0["id"] } == mixedEvents.map { .string($0.id) })
      #expect(answers.allSatisfy { $0["status"] == "accepted" })
    }
    #expect(services.map { $0.events.count } == [3, 6, 3])
  }

  @Test func `F3: a single event is answered as by its recipient's owner`() async throws {
    try await fleet.serving(services) { nodes in
      let first = try await nodes[0].post(event("e1", of: "ub"))
      #expect(first.status == 202)
      #expect(try first.json["status"] == "accepted")
      #expect(try await nodes[0].post(event("e1", of: "ub")).status == 200)
      services[1].set { $0.conflicts = ["e2"] }
      let refused = try await nodes[0].post(event("e2", of: "ub"))
      #expect(refused.status == 409)
      #expect(try refused.json["path"] == "id")
    }
  }

  @Test func `F3: events for a dead node are answered 503, others are accepted`() async throws {
    try await fleet.serving(Array(services.prefix(2))) { nodes in
      await nodes[1].stop()
      try await fleet.waitUntilClosed("b")
      let lines = ["ua", "ub", "ua"].enumerated().map { event("e\($0)", of: $1) }
      let batch = try await nodes[0].post("[\(lines.joined(separator: ","))]")
      let items = try #require(try batch.json["items"]?.arrayValue)
      #expect(items.map { $0["status"] } == ["accepted", "refused", "accepted"])
      #expect(items[1]["problem"]?["status"] == 503)
      let single = try await nodes[0].post(lines[1])
      #expect(single.status == 503)
      #expect(single["retry-after"] == "1")
      let change = try await nodes[0].call(
        "PATCH", "/v1/recipients/ub/preferences", headers: ["content-type": "application/json"],
        body: "{}")
      #expect(change.status == 503)
      #expect(change["retry-after"] == "1")
    }
    #expect(services[1].events.isEmpty)
  }

  @Test func `F3: an event accepted without an answer is a duplicate later`() async throws {
    let channels = OpenChannels()
    services[1].set { $0.whenAccepted = { channels.cutOff() } }
    try await TestServer.serving(services[1], fleet: fleet.link("b"), channels: channels) { _ in
      try await TestServer.serving(services[0], fleet: fleet.link("a")) { node in
        let reply = try await node.post(event("e1", of: "ub"))
        #expect(reply.status == 503)
        #expect(reply.text.contains("may have carried out the request"))
        services[1].set { $0.whenAccepted = {} }
        try await TestServer.serving(services[1], fleet: fleet.link("b")) { _ in
          let again = try await node.post(event("e1", of: "ub"))
          #expect(again.status == 200)
          #expect(try again.json["status"] == "duplicate")
        }
      }
    }
  }

  /// A hanging node is given up as soon as it is fenced, before the deadline of a long answer.
  @Test func `F9: a fenced node is not waited for`() async throws {
    let (fleet, end) = (fleet, DispatchSemaphore(value: 0))
    services[1].set {
      $0.whenAccepted = {
        fleet.fence("b")
        end.wait()
      }
    }
    try await fleet.serving(Array(services.prefix(2))) { nodes in
      let reply = try await nodes[0].post(event("e1", of: "ub"))
      end.signal()
      #expect(reply.status == 503)
      #expect(reply["retry-after"] == "1")
      #expect(reply.text.contains("others take over from it"), "\(reply.text)")
    }
  }

  @Test func `F9: a request is never forwarded twice`() async throws {
    // Node a assumes that b owns ux, and b assumes that c does.
    services[1].set { $0.foreign = ["ux"] }
    fleet.give("ux", to: "b", mistaken: "b", sees: "c")
    try await fleet.serving(services) { nodes in
      let reply = try await nodes[0].post(event("e1", of: "ux"))
      #expect(reply.status == 503)
      #expect(reply["retry-after"] == "1")
      #expect(reply.text.contains("another node owns this recipient"))
    }
    #expect(services.map { $0.groups.count } == [0, 1, 0])
  }

  @Test func `F3: changes go to the owner, and any node answers queries`() async throws {
    services[0].set { $0.recipients["ub"] = Recipient(name: "ub", now: Fixtures.now) }
    let path = "/v1/recipients/ub/preferences"
    try await fleet.serving(services) { nodes in
      let read = try await nodes[0].get(path)
      #expect(read.status == 200)
      let changed = try await nodes[0].call(
        "PATCH", path, headers: ["content-type": "application/json"],
        body: #"{"master":false}"#)
      #expect(changed.status == 200, "\(changed.text)")
    }
    #expect(services.map { $0.groups.count } == [0, 1, 0])
  }

  @Test func `F3: an export ticket is valid at the node that issued it`() async throws {
    for service in services {
      service.set { $0.recipients["ub"] = Recipient(name: "ub", now: Fixtures.now) }
    }
    try await fleet.serving(services) { nodes in
      let ticket = try await nodes[0].call("POST", "/v1/recipients/ub/export-tickets")
      #expect(ticket.status == 201)
      let path = try #require(try ticket.json["path"]?.stringValue)
      let file = try await nodes[0].call("GET", path, isOverTCP: true)
      #expect(file.status == 200)
      #expect(try file.json["recipient"] == "ub")
    }
  }

  @Test func `F9: the owner receives the caller's identity and logs it`() async throws {
    let tokens = FakeTokens()
    let (adminToken, recipientToken) = (tokens.make(.administrator), tokens.make(.recipient("ub")))
    let audit = CollectingAudit()
    var access = APIAccess(tokens: tokens)
    access.audit = audit
    services[1].set { $0.recipients["ub"] = Recipient(name: "ub", now: Fixtures.now) }
    try await fleet.serving(services, access: access) { nodes in
      let forged = [
        "authorization": "Bearer \(recipientToken)",
        "chimed-caller": Base64URL.encoded(Array(#"{"scope":"admin","name":"x"}"#.utf8)),
        "content-type": "application/json",
      ]
      let foreign = try await nodes[0].call(
        "DELETE", "/v1/recipients/ub", headers: forged)
      #expect(foreign.status == 403)
      let erased = try await nodes[0].call(
        "DELETE", "/v1/recipients/ub", headers: ["authorization": "Bearer \(adminToken)"])
      #expect(erased.status < 300, "\(erased.text)")
      let unauthenticated = try await nodes[0].perform(
        "POST", "/v1/events", headers: forged.filter { $0.key != "authorization" },
        body: event("e", of: "ub"), isOverTCP: true)
      #expect(unauthenticated.status == 401)
    }
    #expect(audit.entries.map(\.recipient) == ["ub"])
    #expect(audit.entries.first?.actor.hasPrefix("token ") == true)
  }

  // MARK: - The listener

  private func reply(
    of address: String, _ settings: TransferSettings, _ path: String = "/v1/events",
    fields: [(String, String)] = []
  ) async throws -> CollectedReply {
    var request = TransferRequest("POST", "https://\(address)\(path)")
    request.fields = fields + [("Content-Type", "application/json")]
    request.body = Array(event("e", of: "ua").utf8)
    request.timeout = .seconds(60)
    return await (try TransferLoop(settings)).reply(to: request, bodyMax: 1 << 16)
  }

  private func settings(_ certificate: String?) throws -> TransferSettings {
    let certificates = try FleetCertificates.shared.get()
    var settings = TransferSettings()
    settings.authorities = Array(try certificates.directory.content(of: "authority.pem"))
    if let certificate {
      settings.identity = (
        Array(try certificates.directory.content(of: certificate + ".pem")),
        Array(try certificates.directory.content(of: certificate + ".key"))
      )
    }
    return settings
  }

  @Test func `F9: only nodes may connect`() async throws {
    let link = try fleet.link("a")
    let caller = Caller(scope: .administrator, name: "x", isLocal: false, bearer: nil)
    let fields = [("Chimed-Caller", caller.forwardedHeader)]
    try await TestServer.serving(services[0], fleet: link) { _ in
      for stranger in [nil, "stranger", "late", "server"] {
        let refused = try await reply(of: link.listeningAddress, settings(stranger), fields: fields)
        #expect(refused.head.status == nil, "\(stranger ?? "none")")
        #expect(services[0].events.isEmpty)
      }
      let node = try settings("node")
      #expect(try await reply(of: link.listeningAddress, node).head.status == 401)
      let otherRoute = try await reply(
        of: link.listeningAddress, node, "/v1/tokens", fields: fields)
      #expect(otherRoute.head.status == 404)
      #expect(try await reply(of: link.listeningAddress, node, fields: fields).head.status == 202)
    }
  }

  @Test func `F9: a node with another node's certificate gets no request`() async throws {
    try await TestServer.serving(services[1], fleet: fleet.link("b", certificate: "away")) { _ in
      try await TestServer.serving(services[0], fleet: fleet.link("a")) { node in
        let reply = try await node.post(event("e1", of: "ub"))
        #expect(reply.status == 503)
        #expect(reply.text.contains("its certificate is for another name"))
      }
    }
    #expect(services[1].events.isEmpty)
  }
}
