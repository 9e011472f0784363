import Access
import Foundation
import JSON
import Reminders
import Testing

@testable import API

/// The events that a recipient's token may report, and those that only administrators may report
/// (rule E7).
@Suite struct ReportingTests {
  private let tokens = FakeTokens()
  private let planner = Result { try Fixtures.shipped() }

  /// The event types that a recipient may report, built-in or from a shipped catalog.
  private static let reportableTypes: Set = [
    "recipient.updated", "preferences.updated", "preset.applied", "device.registered",
    "device.removed", "device.seen", "permission.changed", "vacation.started", "vacation.ended",
    "relation.added", "relation.removed", "notification.opened", "notification.received",
    "pending.cancelled", "pending.resumed",
    "pending.snoozed",
    "lesson.completed", "content.viewed", "knowledge.check.completed",
    "checkin.completed", "streak.started", "relapse", "milestone.reached", "breakfast.logged",
    "lunch.logged", "dinner.logged", "snack.logged", "weight.logged", "exercise.logged",
    "medication.taken", "medication.skipped", "dose.taken", "dose.skipped", "goal.completed",
    "habit.started", "habit.broken", "lesson.started",
    "lesson.finished", "questionnaire.completed", "provider.message.read", "lab.result.viewed",
    "checkin.answered", "challenge.joined", "challenge.declined", "app.opened", "trial.started",
    "trial.cancelled", "trial.converted", "trial.reminder.set", "trial.reminder.removed",
    "user.follows", "user.unfollows",
  ]

  /// Valid data for the built-in types that require data.
  private static let data: [String: JSONValue] = [
    "recipient.updated": ["timezone": "Asia/Tokyo", "locale": "de"],
    "preferences.updated": ["master": false], "preset.applied": ["preset": "minimal"],
    "device.registered": ["deviceId": "d", "platform": "ios", "token": "t"],
    "device.removed": ["deviceId": "d"],
    "permission.changed": ["channel": "push", "status": "granted"],
    "calendar.changed": ["link": 17],
    "vacation.started": ["until": "2026-03-10"],
    "relation.added": ["person": "carla", "role": "carer"],
    "relation.removed": ["person": "carla", "role": "carer"],
    "notification.requested": ["category": "LESSON", "title": "t", "body": "b"],
    "notification.cancelled": ["notification": "1"], "notification.opened": ["notification": "1"],
    "notification.received": ["notification": "1"],
    "delivery.reported": ["notification": "1", "channel": "sms", "state": "failed"],
    "pending.cancelled": ["reminder": "daily-checkin-reminder"],
    "pending.resumed": ["reminder": "daily-checkin-reminder"],
    "pending.snoozed": ["reminder": "daily-checkin-reminder", "for": "30m"],
    "milestone.reached": ["days": 7],
  ]

  private static func event(_ schema: EventSchema, of recipient: String) -> JSONValue {
    var data = JSONObject()
    for field in schema.fields where field.isRequired { data[field.name] = value(of: field.kind) }
    return [
      "specversion": "1.0", "id": .string(schema.type), "source": "app",
      "type": .string(schema.type), "subject": .string(recipient),
      "data": Self.data[schema.type] ?? .object(data),
    ]
  }

  private static func value(of kind: EventSchema.FieldKind) -> JSONValue {
    switch kind {
    case .identifier, .text, .preview, .recipient: "a"
    case .instant: "2026-03-10T10:00:00Z"
    case .number: 1
    case .plan: ["times": ["08:00"]]
    case .date: "2026-12-24"
    case .flag: true
    // The actor is the token's own recipient. That does not make the event reportable.
    case .person: ["id": "amina", "username": "amina"]
    case .place: ["id": "r", "name": "Room"]
    case .list(let sorts): [["type": .string(sorts[0].name)]]
    case .rememberedNumber(let number): .integer(number.range.lowerBound)
    }
  }

  private func serving(_ body: (TestServer, FakeService) async throws -> Void) async throws {
    let service = try FakeService(planner)
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) {
      try await body($0, service)
    }
  }

  private static func text(_ values: [JSONValue], _ separator: String) -> String {
    values.map { String(decoding: JSONWriter.canonical($0), as: UTF8.self) }
      .joined(separator: separator)
  }

  @Test func `E7: each type of event is either the recipient's own or refused`() async throws {
    try await serving { server, _ in
      let token = tokens.make(.recipient("amina"))
      var accepted: Set<String> = []
      for schema in try planner.get().catalog.events where !schema.isCopy {
        let reply = try await server.call(
          "POST", "/v1/events",
          headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
          body: Self.text([Self.event(schema, of: "amina")], ""))
        if reply.status == 202 {
          accepted.insert(schema.type)
        } else {
          #expect(reply.status == 403, "\(schema.type): \(reply.text)")
          #expect(try reply.json["type"] == "urn:chimed:problem:foreign-event")
          let detail = try reply.json["detail"]?.stringValue
          #expect(detail?.contains("token with the scope admin") == true)
        }
      }
      #expect(accepted == Self.reportableTypes)
    }
  }

  @Test func `E7: an administrator reports every type of event`() async throws {
    try await serving { server, _ in
      let events = try planner.get().catalog.events.filter { !$0.isCopy }
        .map { Self.event($0, of: "amina") }
      let reply = try await server.post("[" + Self.text(events, ",") + "]")
      #expect(try reply.json["accepted"] == .integer(Int64(events.count)), "\(reply.text)")
    }
  }

  /// If recipients could set an address, they could make the service an open relay to strangers.
  @Test(
    arguments: [
      ["email": "a@example.org"], ["phone": "+4915112345678"], ["name": "Amina"],
      ["timezone": "Asia/Tokyo", "phone": nil],
    ] as [JSONValue])
  func `E7: a recipient cannot set their address`(data: JSONValue) async throws {
    try await serving { server, service in
      let token = tokens.make(.recipient("amina"))
      let reply = try await server.call(
        "POST", "/v1/events",
        headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
        body: Self.text([Self.update("e1", data)], ""))
      #expect(reply.status == 403)
      let field = ["email", "phone", "name"].first { data[$0] != nil } ?? ""
      #expect(try reply.json["path"] == .string("data.\(field)"))
      #expect(service.groups.isEmpty)
    }
  }

  private static func update(_ identifier: String, _ data: JSONValue) -> JSONValue {
    [
      "specversion": "1.0", "id": .string(identifier), "source": "app",
      "type": "recipient.updated", "subject": "amina", "data": data,
    ]
  }

  @Test(arguments: [("application/json", "[", ",", "]"), ("application/x-ndjson", "", "\n", "\n")])
  func `E7: each event of a batch or stream is checked on its own`(
    type: String, start: String, separator: String, end: String
  ) async throws {
    try await serving { server, service in
      let token = tokens.make(.recipient("amina"))
      let events = [
        Self.update("e1", ["email": "a@example.org"]), Self.update("e2", ["locale": "de"]),
        Self.update("e3", ["phone": "+4915112345678"]), Self.update("e4", ["timezone": "UTC"]),
      ]
      let reply = try await server.call(
        "POST", "/v1/events",
        headers: ["authorization": "Bearer \(token)", "content-type": type],
        body: start + Self.text(events, separator) + end)
      let items = try separator == "\n" ? reply.lines : reply.json["items"]?.arrayValue ?? []
      #expect(items.map { $0["status"] } == ["refused", "accepted", "refused", "accepted"])
      #expect(items[0]["problem"]?["status"] == 403)
      #expect(service.groups == [["e2", "e4"]])
    }
  }

  /// The wellness form shows the phone number among the preferences.
  @Test func `E7: no form lets the recipient set an address`() async throws {
    try await serving { server, _ in
      let token = tokens.make(.recipient("amina"))
      let path = "/v1/recipients/amina/preferences?form=wellness&dryRun=true"
      let number = "{\"delivery\":{\"sms\":{\"number\":\"+4915112345678\"}}}"
      let refused = try await server.call(
        "PATCH", path, headers: ["authorization": "Bearer \(token)"], body: number)
      #expect(refused.status == 403)
      #expect(try refused.json["path"] == "data.phone")
      #expect(try await server.call("PATCH", path, body: number).status == 200)
      let harmless = try await server.call(
        "PATCH", path, headers: ["authorization": "Bearer \(token)"],
        body: "{\"delivery\":{\"sms\":{\"enabled\":false}}}")
      #expect(harmless.status == 200)
    }
  }

  @Test func `E7: tests and erasure are for administrators`() async throws {
    try await serving { server, service in
      let token = tokens.make(.recipient("amina"))
      let calls = [("POST", "/v1/recipients/amina/test"), ("DELETE", "/v1/recipients/amina")]
      for (method, path) in calls {
        let reply = try await server.call(
          method, path, headers: ["authorization": "Bearer \(token)"],
          body: method == "POST" ? "{\"channel\":\"sms\"}" : nil)
        #expect(reply.status == 403, "\(path)")
        #expect(try reply.json["detail"]?.stringValue?.contains("scope admin") == true)
      }
      #expect(service.groups.isEmpty)
    }
  }
}

extension Fixtures {
  /// A planner with every shipped catalog.
  fileprivate static func shipped() throws -> Planner {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../config/catalogs").standardized
    let sources = try ["imanpath", "urbannest", "rooms", "wellness", "trials"].map { name in
      CatalogSource(
        file: name,
        text: try String(contentsOf: folder.appending(path: "\(name).yaml"), encoding: .utf8))
    }
    let urbannest = try Fixtures.urbannest.get()
    return Planner(
      catalog: try Catalog(reading: sources), zones: urbannest.zones,
      defaultZone: urbannest.defaultZone)
  }
}
