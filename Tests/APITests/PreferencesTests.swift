import Engine
import JSON
import Reminders
import Testing

@testable import API

/// A recipient's preferences over HTTP, and the answers to writes (rules P1 and P5).
@Suite(.timeLimit(.minutes(1))) struct PreferencesTests {
  private static let path = "/v1/recipients/r1/preferences"

  @Test func `P5: a dry run reports the same changes and writes nothing`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let body = #"{"quietHours":{"enabled":true,"start":"21:00","end":"06:00"}}"#
      let dryRun = try await server.call("PATCH", Self.path + "?dryRun=true", body: body)
      #expect(dryRun.status == 200)
      #expect(try dryRun.json["dryRun"] == true)
      #expect(service.groups == [])
      let written = try await server.call("PATCH", Self.path, body: body)
      #expect(written.status == 200)
      #expect(try written.json["dryRun"] == false)
      #expect(try written.json["changes"] == dryRun.json["changes"])
      let current = try await server.get(Self.path)
      #expect(try current.json["quietHours"]?["start"] == "21:00")
    }
    #expect(service.groups.count == 1)
  }

  @Test func `H32: preferences of a past instant name the parts that are not stored`() async throws
  {
    let service = try FakeService()
    let past = FormerRecipient(
      facts: Facts(), planner: service.planner, unreadableEventCount: 2, missingZones: "2025b")
    service.set { $0.former = .known(past) }
    try await TestServer.serving(service) { server in
      let reply = try await server.get(Self.path + "?asOf=2026-03-01T00:00:00Z")
      #expect(reply.status == 200)
      let document = try reply.json
      #expect(document["asOf"] == "2026-03-01T00:00:00.000Z")
      #expect(document["unknown"] == ["the time zone rules of 2025b", "2 events"])
      #expect(document["preferences"]?["master"] == true)
      #expect(reply["etag"] == nil)
    }
  }

  @Test func `H32: an instant that is not known is refused with the reason`() async throws {
    let service = try FakeService()
    service.set { $0.former = .unknown(.future) }
    try await TestServer.serving(service) { server in
      let reply = try await server.get(Self.path + "?asOf=2027-03-01T00:00:00Z")
      #expect(reply.status == 400)
      #expect(try reply.json["detail"] == "asOf is in the future; give a past instant")
      #expect(try reply.json["path"] == "asOf")
      service.set { $0.former = .unknownRecipient }
      #expect(try await server.get(Self.path + "?asOf=2026-03-01T00:00:00Z").status == 404)
      #expect(try await server.get(Self.path + "?asOf=yesterday").status == 400)
    }
  }

  @Test func `P5: writing the current values changes nothing`() async throws {
    let service = try FakeService(Fixtures.urbannest)
    try await TestServer.serving(service) { server in
      let path = Self.path + "?form=urbannest"
      let first = try await server.call("PATCH", path, body: #"{"push":{"enabled":false}}"#)
      let current = try await server.get(path)
      let again = try await server.call("PATCH", path, body: current.text)
      #expect(again.status == 200, "\(again.text)")
      #expect(try again.json["changes"] == [] && again.json["warnings"] == [])
      #expect(try again.json["dryRun"] == false)
      #expect(again["etag"] == first["etag"])
      let outdated = try await server.call(
        "PATCH", path, headers: ["If-Match": "\"77\""], body: current.text)
      #expect(outdated.status == 412)
    }
    #expect(service.groups.count == 1)
  }

  @Test func `P5: the service's own document can be written back unchanged`() async throws {
    let service = try FakeService(Fixtures.urbannest)
    try await TestServer.serving(service) { server in
      let first = try await server.call("PATCH", Self.path, body: #"{"master":false}"#)
      let current = try await server.get(Self.path)
      let again = try await server.call("PATCH", Self.path, body: current.text)
      #expect(again.status == 200, "\(again.text)")
      #expect(try again.json["changes"] == [])
      #expect(again["etag"] == first["etag"])
    }
    #expect(service.groups.count == 1)
  }

  /// An app may save its whole form, bare or as the value of `notificationSettings`.
  @Test(arguments: [false, true])
  func `P1: the wellness form can be written back unchanged`(isWrapped: Bool) async throws {
    let service = try FakeService(Fixtures.wellness)
    try await TestServer.serving(service) { server in
      let path = Self.path + "?form=wellness"
      _ = try await server.call("PATCH", path, body: #"{"masterToggle":false}"#)
      let current = try await server.get(path).text
      let body = isWrapped ? #"{"notificationSettings":\#(current)}"# : current
      let again = try await server.call("PATCH", path, body: body)
      #expect(again.status == 200, "\(again.text)")
      #expect(try again.json["changes"] == [])
      #expect(try await server.get(path).text == current)
    }
    #expect(service.groups.count == 1)
  }

  @Test func `P5: an outdated write is refused`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let first = try await server.call("PATCH", Self.path, body: #"{"master":false}"#)
      let tag = try #require(first["etag"])
      let again = try await server.call(
        "PATCH", Self.path, headers: ["If-Match": tag], body: #"{"master":true}"#)
      #expect(again.status == 200)
      let outdated = try await server.call(
        "PATCH", Self.path, headers: ["If-Match": tag], body: #"{"master":false}"#)
      #expect(outdated.status == 412)
      let dryRun = try await server.call(
        "PATCH", Self.path + "?dryRun=true", headers: ["If-Match": tag], body: #"{"master":false}"#)
      #expect(dryRun.status == 412 && dryRun.text == outdated.text)
      let current = try await server.get(Self.path)
      #expect(try current.json["master"] == true)
    }
  }

  private static let limited = """
    policies: {caps: {perDay: 6}}
    catalog: limited
    categories:
      NOTE: {title: Notes, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: "12:00"}}
        expires: 1h
        messages: [{title: Note, body: Write.}]
    """

  @Test(arguments: ["", "?dryRun=true"])
  func `H3: a refused preference has its path in the request, also of a dry run`(
    query: String
  ) async throws {
    let service = try LiveService(text: Self.limited, at: "2026-03-02T09:00:00.000Z")
    for month in 4...11 {
      for day in ["01", "15"] {
        let date = JSONValue.string("2026-\(month < 10 ? "0" : "")\(month)-\(day)")
        try await service.ingest("vacation.started", ["from": date, "until": date], of: "r1")
      }
    }
    try await TestServer.serving(service) { server in
      func refusal(_ body: String, _ method: String, _ route: String) async throws -> String {
        let reply = try await server.call(method, Self.path + route + query, body: body)
        let problem = try reply.json
        let path = problem["path"]?.stringValue ?? ""
        #expect(problem["detail"]?.stringValue?.hasPrefix(path + " ") == true, "\(reply.text)")
        return "\(reply.status) \(path)"
      }
      let vacation = #"{"vacation":{"announced":{"2026-12-01":"2026-12-02"}}}"#
      let cap = #"{"caps":{"perDay":10}}"#
      let document = #"{"version":1,"preferences":\#(cap)}"#
      let refused = [
        try await refusal(vacation, "PATCH", ""), try await refusal(cap, "PATCH", ""),
        try await refusal(document, "POST", "/import"),
      ]
      #expect(
        refused == [
          "429 vacation.announced", "422 caps.perDay", "422 preferences.caps.perDay",
        ])
    }
  }

  @Test(arguments: [
    (#"{"master":1}"#, 422), (#"{"mastr":true}"#, 422), ("[]", 400), ("{", 400),
    (#"{"quietHours":{"start":"08:00","end":"08:00"}}"#, 422),
  ])
  func `an invalid write of preferences changes nothing`(body: String, status: Int) async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.call("PATCH", Self.path, body: body)
      #expect(reply.status == status)
    }
    #expect(service.groups == [])
  }

  @Test(arguments: ["/v1/recipients/nobody/preferences", "/v1/recipients/nobody/ahead"])
  func `preferences of an unknown recipient are answered 404`(path: String) async throws {
    try await TestServer.serving(try FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == 404)
    }
  }
}
