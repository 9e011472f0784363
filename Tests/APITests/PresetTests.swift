import JSON
import Reminders
import Testing

@testable import API

/// Presets, export, import and reset over HTTP (rules P4, P5).
@Suite(.timeLimit(.minutes(1))) struct PresetTests {
  private static let path = "/v1/recipients/r1/preferences"
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, channels: {push: true, email: false}}
    groups:
      notes: {enabled: true, time: "12:00"}
    presets:
      maximum: {reminders: all, channels: all, categories: all}
      minimal: {reminders: []}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  private static func serving(
    _ body: (TestServer, FakeService) async throws -> Void
  ) async throws {
    let service = try FakeService(Result { try Fixtures.planner(catalog: catalog) })
    try await TestServer.serving(service) { server in
      let change = try await server.call(
        "PATCH", path, body: #"{"reminders":{"notes":{"time":"13:00"}}}"#)
      #expect(change.status == 200)
      try await body(server, service)
    }
  }

  private static func preferences(_ server: TestServer) async throws -> JSONValue {
    try await server.get(path).json
  }

  @Test func `P4: exported preferences can be imported again`() async throws {
    try await Self.serving { server, _ in
      let export = try await server.get(Self.path + "/export")
      #expect(export.status == 200)
      #expect(try export.json["version"] == 1)
      let before = try await Self.preferences(server)
      _ = try await server.call(
        "PATCH", Self.path,
        body: #"{"master":false,"reminders":{"notes":{"time":"15:00"}},"caps":{"perDay":3}}"#)
      let imported = try await server.post(export.text, to: Self.path + "/import")
      #expect(imported.status == 200)
      #expect(try imported.json["changes"]?.arrayValue?.count == 1)
      #expect(try await Self.preferences(server) == before)
      let again = try await server.post(export.text, to: Self.path + "/import")
      #expect(try again.json["changes"] == [])
    }
  }

  @Test(arguments: [
    (#"{"version":2,"preferences":{}}"#, 422), (#"{"version":1}"#, 422), ("[]", 400),
    (#"{"version":1,"preferences":{"mastr":true}}"#, 422),
    (#"{"version":1,"preferences":{"master":true},"more":1}"#, 422),
    (#"{"version":1,"preferences":{"quietHours":{"start":"07:00","end":"07:00"}}}"#, 422),
  ])
  func `an invalid import changes nothing`(body: String, status: Int) async throws {
    try await Self.serving { server, service in
      let count = service.events.count
      let reply = try await server.post(body, to: Self.path + "/import")
      #expect(reply.status == status)
      #expect(service.events.count == count)
    }
  }

  @Test func `P4: a reset has a dry run and restores the defaults`() async throws {
    try await Self.serving { server, service in
      let count = service.events.count
      let dryRun = try await server.post("", as: nil, to: Self.path + "/reset?dryRun=true")
      #expect(dryRun.status == 200)
      #expect(service.events.count == count)
      let reset = try await server.post("", as: nil, to: Self.path + "/reset")
      #expect(try reset.json["changes"] == dryRun.json["changes"])
      #expect(try await Self.preferences(server)["reminders"]?["notes"]?["time"] == "12:00")
      let again = try await server.post("", as: nil, to: Self.path + "/reset")
      #expect(again.status == 200)
      #expect(service.events.count == count + 1, "nothing is written if nothing changes")
    }
  }

  @Test func `P4: applying a preset changes no times`() async throws {
    try await Self.serving { server, service in
      let dryRun = try await server.post(
        "", as: nil, to: Self.path + "/presets/minimal/apply?dryRun=true")
      let applied = try await server.post("", as: nil, to: Self.path + "/presets/minimal/apply")
      #expect(applied.status == 200)
      #expect(try applied.json["changes"] == dryRun.json["changes"])
      #expect(try applied.json["changes"]?.arrayValue?.map { $0["change"] } == ["cancelled"])
      #expect(service.events.last?.type == "preset.applied")
      let after = try await Self.preferences(server)
      #expect(after["preset"] == "minimal")
      #expect(after["reminders"]?["notes"] == ["enabled": false, "time": "13:00"])
      _ = try await server.call(
        "PATCH", Self.path, body: #"{"reminders":{"notes":{"enabled":true}}}"#)
      let list = try await server.get(Self.path + "/presets").json
      #expect(list["current"] == "custom")
      #expect(list["presets"]?.arrayValue?.map { $0["name"] } == ["maximum", "minimal"])
    }
  }

  @Test func `P4: a custom preset is saved, applied and deleted`() async throws {
    try await Self.serving { server, _ in
      let customPreset = Self.path + "/presets/custom"
      #expect(try await server.get(customPreset).status == 404)
      #expect(try await server.call("DELETE", customPreset).status == 404)
      _ = try await server.call("PATCH", Self.path, body: #"{"channels":{"sms":false}}"#)
      #expect(try await server.call("PUT", customPreset).status == 200)
      let saved = try await server.get(customPreset)
      #expect(saved.status == 200)
      #expect(try saved.json["own"] == true)
      #expect(try saved.json["switches"]?["channels"]?["sms"] == false)
      _ = try await server.post("", as: nil, to: Self.path + "/presets/maximum/apply")
      #expect(try await Self.preferences(server)["channels"]?["sms"] == true)
      _ = try await server.post("", as: nil, to: customPreset + "/apply")
      #expect(try await Self.preferences(server)["channels"]?["sms"] == false)
      #expect(try await server.call("DELETE", customPreset).status == 200)
      #expect(try await server.get(customPreset).status == 404)
    }
  }

  @Test func `P5: an outdated change of presets is refused`() async throws {
    try await Self.serving { server, _ in
      let tag = try #require(try await server.get(Self.path + "/presets")["etag"])
      let first = try await server.call(
        "POST", Self.path + "/presets/minimal/apply", headers: ["If-Match": tag])
      #expect(first.status == 200)
      for (method, path) in [
        ("POST", "/presets/maximum/apply"), ("PUT", "/presets/custom"), ("POST", "/reset"),
      ] {
        let reply = try await server.call(method, Self.path + path, headers: ["If-Match": tag])
        #expect(reply.status == 412, "\(method) \(path)")
      }
      #expect(try await Self.preferences(server)["preset"] == "minimal")
    }
  }

  @Test(arguments: [
    ("PUT", "maximum", 405), ("DELETE", "minimal", 405), ("PUT", "mine", 404),
    ("GET", "balanced", 404), ("POST", "mine/apply", 404), ("POST", "custom/apply", 404),
  ])
  func `only the custom preset can be written, and only known presets applied`(
    method: String, name: String, status: Int
  ) async throws {
    try await Self.serving { server, service in
      let count = service.events.count
      let reply = try await server.call(method, Self.path + "/presets/" + name)
      #expect(reply.status == status)
      #expect(try reply.json["detail"]?.stringValue?.isEmpty == false)
      #expect(service.events.count == count)
    }
  }

  @Test func `a body where none is expected is refused`() async throws {
    try await Self.serving { server, _ in
      let reply = try await server.post("{}", to: Self.path + "/reset")
      #expect(reply.status == 400)
    }
  }
}
