import CivilTime
import Engine
import JSON
import Reminders
import Testing

@testable import API

/// The coming days as the console shows them, with explanations (rules L2, V8).
@Suite(.timeLimit(.minutes(1))) struct AheadTests {
  /// Runs `body` with a server whose service knows the recipient `u1`, with the given preferences
  /// and zone.
  private static func serving(
    _ preferences: JSONValue, zone: String = "UTC", at start: String,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let service = try LiveService("imanpath", at: start)
    try await service.ingest("recipient.updated", ["timezone": .string(zone)], of: "u1")
    try await service.ingest("preferences.updated", preferences, of: "u1")
    try await TestServer.serving(service, body)
  }

  private static func days(_ document: JSONValue) -> [String] {
    (document["days"]?.arrayValue ?? []).map { day in
      ["date", "start", "end"].map { day[$0]?.stringValue ?? "" }.joined(separator: " ")
    }
  }

  /// The clock of the test server stays at 2026-03-02T02:00Z.
  @Test func `L2: the days ahead follow the recipient's zone and have their quiet windows`()
    async throws
  {
    let quiet: JSONValue = ["quietHours": ["enabled": true, "start": "20:30", "end": "07:00"]]
    try await Self.serving(quiet, zone: "America/New_York", at: "2026-03-02T02:00:00Z") { server in
      let document = try await server.get("/v1/recipients/u1/ahead?days=8").json
      #expect(document["zoneIsDefault"] == false)
      let days = Self.days(document)
      #expect(days.first == "2026-03-01 2026-03-01T05:00:00.000Z 2026-03-02T05:00:00.000Z")
      // Daylight saving time begins: this day has 23 hours.
      #expect(days[7] == "2026-03-08 2026-03-08T05:00:00.000Z 2026-03-09T04:00:00.000Z")
      let quietWindows = document["quiet"]?.arrayValue ?? []
      #expect(quietWindows.first?["start"] == "2026-03-01T01:30:00.000Z")
      #expect(quietWindows.first?["end"] == "2026-03-01T12:00:00.000Z")
      #expect(quietWindows.count == days.count + 1)
    }
  }

  @Test func `V8: every occurrence shown ahead can be explained`() async throws {
    let quiet: JSONValue = ["quietHours": ["enabled": true, "start": "20:30", "end": "07:00"]]
    try await Self.serving(quiet, at: "2026-03-02T02:00:00Z") { server in
      let path = "/v1/recipients/u1/"
      let timeline = try await server.get(path + "ahead?days=5").json["timeline"]?.arrayValue ?? []
      #expect(timeline.count > 6)
      for firing in timeline {
        let id = try #require(firing["id"]?.stringValue)
        let reply = try await server.get(path + "explain?scheduled=\(id)")
        let explanation = try #require(try reply.json["explanations"]?.arrayValue?.first, "\(id)")
        for member in ["at", "local", "planned", "plannedLocal", "outcome", "reasons", "channels"] {
          #expect(explanation[member] == firing[member], "\(member) of \(id)")
        }
        #expect(explanation["rounds"]?.arrayValue?.isEmpty == false)
        let isMoved = firing["at"] != firing["planned"]
        #expect((explanation["counterfactual"] != .null) == isMoved)
      }
    }
  }

  @Test(arguments: [
    "scheduled=daily-checkin-reminder", "scheduled=x~y", "scheduled=nothing~1",
    "scheduled=daily-checkin-reminder~1", "scheduled=a~1&reminder=a",
  ])
  func `V8: explaining an occurrence that is not scheduled is answered 400`(query: String)
    async throws
  {
    try await Self.serving(["master": true], at: "2026-03-02T02:00:00Z") { server in
      let reply = try await server.get("/v1/recipients/u1/explain?" + query)
      #expect(reply.status == 400)
      #expect(try reply.json["path"] != nil)
    }
  }

  /// At 04:00 the check-in of 21:00 is planned for the next morning; at 03:00 it is not.
  @Test func `L8: days ahead and explanations follow the facts of a past instant`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T02:00:00Z")
    try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "u1")
    let quiet: JSONValue = ["quietHours": ["enabled": true, "start": "20:30", "end": "07:00"]]
    try service.run(to: "2026-03-02T04:00:00Z")
    try await service.ingest("preferences.updated", quiet, of: "u1")
    try service.run(to: "2026-03-02T05:00:00Z")
    try await TestServer.serving(service) { server in
      let path = "/v1/recipients/u1/"
      func checkIn(_ instant: String) async throws -> String {
        let document = try await server.get(path + "ahead?days=2&asOf=" + instant).json
        #expect(document["now"]?.stringValue == instant && document["unknown"] == [])
        let firing = document["timeline"]?.arrayValue?.first {
          $0["reminder"] == "daily-checkin-reminder"
        }
        let id = try #require(firing?["id"]?.stringValue)
        let explained = try await server.get(
          path + "explain?scheduled=\(id)&asOf=" + instant
        ).json
        #expect(explained["unknown"] == [])
        #expect(explained["explanations"]?.arrayValue?.first?["at"] == firing?["at"])
        return firing?["at"]?.stringValue ?? ""
      }
      #expect(try await checkIn("2026-03-02T03:59:59.999Z") == "2026-03-02T21:00:00.000Z")
      #expect(try await checkIn("2026-03-02T04:00:00.000Z") == "2026-03-03T07:00:00.000Z")
      let today = try await server.get(path + "ahead").json
      #expect(today["unknown"] == nil)
    }
  }

  @Test(arguments: ["ahead", "explain?category=LESSON"])
  func `L8: an instant that is not known is refused with the reason`(question: String) async throws
  {
    let service = try LiveService("imanpath", at: "2026-03-02T02:00:00Z")
    try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "u1")
    try await TestServer.serving(service) { server in
      func reply(_ recipient: String, _ instant: String) async throws -> Reply {
        let separator = question.contains("?") ? "&" : "?"
        return try await server.get(
          "/v1/recipients/\(recipient)/\(question)\(separator)asOf=\(instant)")
      }
      let future = try await reply("u1", "2026-03-02T02:00:01Z")
      #expect(future.status == 400)
      #expect(try future.json["detail"] == "asOf is in the future; give a past instant")
      #expect(try future.json["path"] == "asOf")
      #expect(try await reply("u1", "2026-03-02T01:00:00Z").status == 400)
      #expect(try await reply("u1", "yesterday").status == 400)
      #expect(try await reply("u2", "2026-03-02T02:00:00Z").status == 404)
    }
  }

  @Test func `L8: parts of the past that are not stored are named`() async throws {
    let service = try FakeService()
    let past = ReplayedRecipient(
      recipient: Recipient(name: "r1", now: Fixtures.now), planner: service.planner,
      missingZones: ["2025b"], progressStart: Instant("2026-02-01T00:00:00Z"),
      hasUnknownCatalogs: true, lostEventCount: 2)
    service.set { $0.replayed = .known(past) }
    try await TestServer.serving(service) { server in
      let document = try await server.get("/v1/recipients/r1/ahead?asOf=2026-03-01T00:00:00Z").json
      #expect(
        document["unknown"] == [
          "the time zone rules of 2025b", "the decisions before 2026-02-01T00:00:00.000Z",
          "the catalogs of the first events", "2 events",
        ])
    }
  }

  /// Twelve notes a day.
  private static let notes: String = {
    func reminder(_ name: String, _ hours: ClosedRange<Int>) -> String {
      let times = hours.map { "\"\($0 < 10 ? "0" : "")\($0):00\"" }.joined(separator: ",")
      return """
          \(name): {category: NOTE, group: notes, expires: 2h, every: {day: {at: [\(times)]}},
            messages: [{title: Note, body: b}]}

        """
    }
    return """
      catalog: notes
      categories: {NOTE: {title: Notes, channels: {push: true}}}
      groups: {notes: {enabled: true}}
      reminders:

      """ + reminder("early", 8...13) + reminder("late", 14...19)
  }()

  /// The simulation ends after 4,096 verdicts, two for each note.
  @Test func `L2: days ahead with too many notifications end early and say where`() async throws {
    let service = try LiveService(text: Self.notes, at: "2026-03-02T02:00:00Z")
    try await service.ingest("recipient.updated", ["timezone": "UTC"], of: "u1")
    try await TestServer.serving(service) { server in
      let path = "/v1/recipients/u1/"
      let year = try await server.get(path + "ahead?days=366").json
      #expect(year["cut"] == true)
      #expect(year["through"] == "2026-08-19T15:59:59.999Z")
      #expect(year["days"]?.arrayValue?.last?["date"] == "2026-08-19")
      let timeline = try #require(year["timeline"]?.arrayValue)
      #expect(timeline.count == 2_048)
      #expect(timeline.last?["at"] == "2026-08-19T15:00:00.000Z")
      let week = try await server.get(path + "ahead?days=7").json
      #expect(week["cut"] == false)
      #expect(week["through"] == "2026-03-09T02:00:00.000Z")
      #expect(week["timeline"]?.arrayValue?.count == 84)
      let projection = try await server.get(path + "projection").json
      #expect(projection["cut"] == false)
      #expect(projection["projection"]?.arrayValue?.count == 64)
    }
  }

  #if DEBUG
    private static let lesson = """
      catalog: notes
      categories: {NOTE: {title: Notes, channels: {push: true}}}
      groups: {lesson: {enabled: true}}
      reminders:
        next: {category: NOTE, group: lesson, expires: 12h,
          after: {event: lesson.completed, highest: day, delay: 24h},
          messages: [{title: Next, body: b}]}
      """

    /// The posted change switches off the only reminder. So planning takes steps only for applying
    /// the change, and none for the coming days.
    ///
    /// - Parameter stepsMax: the number of steps after which planning stops with an error.
    @Test(arguments: [(0, 500), (9, 200)])
    func `H6: a change is answered 500 only if its replan exceeds its bound`(
      stepsMax: Int, status: Int
    ) async throws {
      let planner = try Fixtures.planner(catalog: Self.lesson)
      let event = try EventReader(planner: planner).event(
        text: Fixtures.event("e1", type: "lesson.completed", members: #""data":{"day":1}"#),
        now: Fixtures.now)
      var recipient = Recipient(name: "u1", now: Fixtures.now)
      recipient.apply(event, order: 0, now: Fixtures.now, planner: planner)
      let (service, lessonRecipient) = (try FakeService(.success(planner)), recipient)
      service.set { $0.recipients["u1"] = lessonRecipient }
      try await PlanningOverrun.$steps.withValue(stepsMax) {
        try await TestServer.serving(service) { server in
          let reply = try await server.post(
            #"{"reminders":{"lesson":{"enabled":false}}}"#, to: "/v1/recipients/u1/ahead")
          #expect(reply.status == status, "\(reply.text)")
        }
      }
    }
  #endif

  @Test func `a recipient's profile never contains a device token`() async throws {
    let service = try LiveService("urbannest", at: "2026-03-02T02:00:00Z")
    try await service.ingest(
      "recipient.updated", ["timezone": "Asia/Riyadh", "email": "a@example.org"], of: "u1")
    try await service.ingest(
      "device.registered", ["deviceId": "d", "platform": "ios", "token": "secret"], of: "u1")
    try await service.ingest(
      "permission.changed", ["channel": "push", "status": "denied"], of: "u1")
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/recipients/u1")
      let document = try reply.json
      #expect(document["zone"] == "Asia/Riyadh" && document["local"] == "2026-03-02 05:00")
      #expect(document["profile"]?["email"] == "a@example.org")
      #expect(document["permissions"]?["push"] == "denied")
      #expect(document["quietUntil"] == .null)
      #expect(document["devices"]?.arrayValue?.count == 1 && !reply.text.contains("secret"))
    }
  }

  @Test func `a removed device is shown only in the export`() async throws {
    let service = try LiveService("urbannest", at: "2026-03-02T02:00:00Z")
    for device in ["kept", "removed"] {
      let data: JSONValue = ["deviceId": .string(device), "platform": "ios", "token": "t"]
      try await service.ingest("device.registered", data, of: "u1")
    }
    for device in ["removed", "never"] {
      try await service.ingest("device.removed", ["deviceId": .string(device)], of: "u1")
    }
    try await TestServer.serving(service) { server in
      func devices(_ path: String) async throws -> [JSONValue] {
        try await server.get("/v1/recipients/u1" + path).json["devices"]?.arrayValue ?? []
      }
      #expect(try await devices("").map { $0["deviceId"] } == ["kept"])
      let exported = try await devices("/export")
      #expect(exported.map { $0["deviceId"] } == ["kept", "never", "removed"])
      #expect(exported.map { $0["token"] } == ["t", .null, .null])
    }
  }
}
