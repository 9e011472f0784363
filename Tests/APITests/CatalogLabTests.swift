import API
import CivilTime
import JSON
import Reminders
import Testing

/// The routes for trying a catalog: its source, the faults of a draft, and a simulated persona.
@Suite(.timeLimit(.minutes(1))) struct CatalogLabTests {
  private let service: LiveService

  init() throws {
    service = try LiveService("imanpath", at: "2026-03-02T02:00:00Z")
  }

  private func document(_ members: JSONObject) -> String {
    String(decoding: JSONWriter.canonical(.object(members)), as: UTF8.self)
  }

  private func event(
    _ type: String, _ data: JSONValue, id: String, at time: String = "2026-03-02T02:00:00Z"
  ) -> JSONValue {
    [
      "specversion": "1.0", "id": .string(id), "source": "lab", "type": .string(type),
      "subject": "persona", "time": .string(time), "data": data,
    ]
  }

  private func source(_ server: TestServer) async throws -> String {
    let file = try await server.get("/v1/catalogs/imanpath").json
    return try #require(file["source"]?.stringValue)
  }

  @Test func `the source of a loaded catalog passes the check`() async throws {
    try await TestServer.serving(service) { server in
      #expect(
        try await server.get("/v1/catalogs").json["catalogs"]?[0]?["name"] == "imanpath")
      let text = try await source(server)
      let body = document(["name": "imanpath", "source": .string(text)])
      let check = try await server.post(body, to: "/v1/catalog-checks").json
      #expect(check == ["sound": true, "problems": []])
      #expect(try await server.get("/v1/catalogs/other").status == 404)
    }
  }

  @Test func `a loaded catalog lists its declarations`() async throws {
    try await TestServer.serving(service) { server in
      let catalog = try await server.get("/v1/catalogs/imanpath").json
      let categories = try #require(catalog["categories"]?.arrayValue)
      #expect(
        categories.map { $0["name"] } == [
          "CHECKIN", "LESSON", "RECOVERY", "MILESTONE", "MOTIVATION", "SUMMARY",
        ])
      #expect(
        categories[0] == [
          "name": "CHECKIN", "title": "Check-in reminders", "description": nil,
          "urgency": "normal", "locked": false, "channels": ["push"],
        ])
      let groups = try #require(catalog["groups"]?.arrayValue)
      #expect(
        groups.map { $0["name"] } == ["checkin", "lesson", "milestone", "motivation", "summary"])
      let summary = groups.last?["parameters"]?.arrayValue ?? []
      #expect(summary.map { $0["name"] } == ["days", "time"])
    }
  }

  @Test func `the check of a draft reports a fault with its line`() async throws {
    try await TestServer.serving(service) { server in
      let text = try await source(server) + "\nremainders: {}\n"
      let body = document(["name": "imanpath", "source": .string(text)])
      let check = try await server.post(body, to: "/v1/catalog-checks").json
      #expect(check["sound"] == false)
      let problem = try #require(check["problems"]?[0])
      #expect(problem["here"] == true)
      let line = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(problem["line"] == .integer(Int64(line)))
      #expect(problem["message"]?.stringValue?.contains("remainders") == true)
    }
  }

  @Test(
    arguments: [
      ("/v1/catalog-messages", [:]), ("/v1/catalog-trials", [:]), ("/v1/simulate", ["events": []]),
      ("/v1/replays", ["since": "7d"]),
    ] as [(String, JSONObject)])
  func `H2: each route lists the faults of a refused draft as the check does`(
    path: String, members: JSONObject
  ) async throws {
    try await TestServer.serving(service) { server in
      let text = try await source(server) + "\nremainders: {}\nwrong: 1\n"
      var body: JSONObject = ["name": "imanpath", "source": .string(text)]
      let checked = try await server.post(document(body), to: "/v1/catalog-checks").json
      let faults = try #require(checked["problems"]?.arrayValue)
      #expect(faults.map { $0["file"] } == ["imanpath", "imanpath"])
      for member in members { body[member.key] = member.value }
      let reply = try await server.post(document(body), to: path)
      #expect(reply.status == 422 && reply["content-type"] == "application/problem+json")
      #expect(try reply.json["path"] == "source")
      #expect(try reply.json["problems"] == .array(faults))
    }
  }

  @Test func `H2: a simulation answers a refused event as /v1/events does`() async throws {
    try await TestServer.serving(service) { server in
      let events = [1, 2].map { event("lesson.completed", ["day": .integer($0)], id: "1") }
      let simulation = try await server.post(
        document(["events": .array(events)]), to: "/v1/simulate"
      ).json
      let refused = try #require(simulation["refused"]?.arrayValue)
      #expect(refused.map { $0["id"] } == ["1"] && refused.map { $0["status"] } == ["refused"])
      #expect(refused[0]["problem"]?["type"] == "urn:chimed:problem:conflicting-event")
      let wrong = event("lesson.completed", ["day": 31], id: "1")
      let reply = try await server.post(document(["events": [wrong]]), to: "/v1/simulate").json
      #expect(reply["detail"] == "events[0].data.day must be from 1 to 30; it is 31")
    }
  }

  @Test func `a short draft that expands to a large one is refused`() async throws {
    try await TestServer.serving(service) { server in
      let aliases = String(repeating: "*a, ", count: 17)
      let body = document(["name": "n", "source": .string("a: &a []\nb: [\(aliases)]")])
      let reply = try await server.post(body, to: "/v1/catalog-checks")
      #expect(reply.status == 422)
    }
  }

  @Test func `L1: a persona is simulated like a recipient with the same events`() async throws {
    let events = [
      event("recipient.updated", ["timezone": "Asia/Riyadh"], id: "1"),
      event("lesson.completed", ["day": 1], id: "2"),
    ]
    try await TestServer.serving(service) { server in
      let body = document(["events": .array(events), "days": 7])
      let simulation = try await server.post(body, to: "/v1/simulate").json
      try await service.ingest("recipient.updated", ["timezone": "Asia/Riyadh"], of: "persona")
      try await service.ingest("lesson.completed", ["day": 1], of: "persona")
      let ahead = try await server.get("/v1/recipients/persona/ahead?days=7").json
      func lines(_ timeline: JSONValue) -> [String] {
        (timeline["timeline"]?.arrayValue ?? []).map {
          "\($0["local"]?.stringValue ?? "") \($0["title"]?.stringValue ?? "")"
        }
      }
      #expect(lines(simulation).count > 7)
      #expect(lines(simulation) == lines(ahead))
      #expect(simulation["zone"] == "Asia/Riyadh" && simulation["refused"] == [])
      #expect(simulation["days"] == ahead["days"])
    }
  }

  @Test func `simulating a draft does not load it`() async throws {
    try await TestServer.serving(service) { server in
      let text = try await source(server).replacing("Lesson Ready", with: "Lesson Awaits")
      let events = [event("lesson.completed", ["day": 1], id: "1")]
      let body = document([
        "name": "imanpath", "source": .string(text), "events": .array(events), "days": 3,
      ])
      let reply = try await server.post(body, to: "/v1/simulate")
      #expect(reply.text.contains("Day 2 Lesson Awaits"))
      #expect(try await source(server).contains("Lesson Ready"))
      #expect(try await server.get("/v1/recipients?prefix=persona").json["recipients"] == [])
    }
  }

  @Test(arguments: [
    #"{"events":{}}"#, #"{"events":[],"days":63}"#, #"{"events":[{}]}"#, #"{"events":[],"x":1}"#,
    #"{"events":[],"from":"soon"}"#, #"{"events":[],"name":"n","source":"[]"}"#,
  ])
  func `an invalid simulation is answered 422`(body: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.post(body, to: "/v1/simulate")
      #expect(reply.status == 422, "\(reply.text)")
    }
  }

  @Test(arguments: [
    (#"{"events":[null]}"#, "events[0]"), (#"{"events":[{}]}"#, "events[0].specversion"),
    (#"{"events":[],"from":"9999-12-31T00:00:00Z"}"#, "from"),
    (#"{"events":[],"from":"9998-01-01T00:00:00Z"}"#, "from"),
  ])
  func `a refused simulation names the path of the fault`(body: String, path: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.post(body, to: "/v1/simulate")
      #expect(reply.status == 422)
      #expect(try reply.json["path"]?.stringValue == path, "\(reply.text)")
    }
  }

  @Test func `the end of a simulation in the latest years can be parsed`() async throws {
    try await TestServer.serving(service) { server in
      let body = document([
        "events": [], "from": "9997-12-31T23:59:59Z", "days": 62,
      ])
      let simulation = try await server.post(body, to: "/v1/simulate").json
      #expect(simulation["through"]?.stringValue.flatMap { Instant($0) } != nil)
    }
  }

  @Test func `H6: an event decades before the start of a simulation is refused`() async throws {
    try await TestServer.serving(service) { server in
      let past = event("lesson.completed", ["day": 1], id: "1", at: "1990-01-01T00:00:00Z")
      let reply = try await server.post(document(["events": [past]]), to: "/v1/simulate")
      #expect(reply.status == 422)
      #expect(reply.text.contains("events[0].time"))
    }
  }

  private func messages(_ server: TestServer, _ body: JSONObject) async throws -> Reply {
    try await server.call(
      "POST", "/v1/catalog-messages",
      body: String(decoding: JSONWriter.canonical(.object(body)), as: UTF8.self))
  }

  @Test func `every message is shown in every language`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T08:00:00Z")
    try await TestServer.serving(service) { server in
      let json = try await messages(server, ["name": "imanpath"]).json
      #expect(json["languages"] == ["en", "ar", "de"])
      let name: JSONValue = "daily-lesson-reminder"
      let lesson = json["reminders"]?.arrayValue?.first { $0["reminder"] == name }
      let texts = try #require(lesson?["messages"]?[0]?.arrayValue)
      #expect(texts.map { $0["language"] } == ["en", "de", "ar"])
      #expect(texts[0]["title"] == "Day 8 Lesson Ready")
    }
  }

  @Test func `a draft shows only its own messages and languages`() async throws {
    let source = """
      catalog: more
      events: {more.seen: {thing: identifier, name: text, at: instant}}
      categories: {MORE: {title: More, urgency: low, channels: {push: true}}}
      groups: {more: {enabled: true}}
      reminders:
        more:
          category: MORE
          group: more
          on: {event: more.seen, delay: 0s}
          expires: 1h
          messages:
            - title: "{{name}}, {{recipient.name}}"
              body: "{{at.weekday}}"
              locales: {de: {title: "Neu: {{name}}", body: "{{at.weekday}}"}}
      """
    let service = try LiveService("imanpath", at: "2026-03-02T08:00:00Z")
    try await TestServer.serving(service) { server in
      let reply = try await messages(server, ["name": "more.yaml", "source": .string(source)])
      #expect(reply.status == 200, "\(reply.text)")
      let json = try reply.json
      #expect(json["languages"] == ["en", "de"])
      #expect(
        json["reminders"] == [
          [
            "reminder": "more", "category": "MORE", "channels": ["push"],
            "messages": [
              [
                ["language": "en", "title": "{name}, Sam", "body": "Monday"],
                ["language": "de", "title": "Neu: {name}", "body": "Montag"],
              ]
            ],
          ]
        ])
    }
  }

  /// A service control that renders e-mails.
  private struct Mailer: ServiceControl {
    func reload() async throws(ReloadError) -> ReloadReport { ReloadReport() }
    var logLevel: LogLevel { .info }
    func setLogLevel(_ level: LogLevel) {}

    func mailSample(of text: MessageSample, in category: String) -> MailSample? {
      MailSample(subject: text.title, text: "\(category): \(text.body)", html: "<p>")
    }
  }

  @Test func `a message sample shows the e-mail as it would be sent`() async throws {
    let source = """
      catalog: more
      categories:
        MORE: {title: More, urgency: low, channels: {push: true, email: true}}
        LESS: {title: Less, urgency: low, channels: {push: true}}
      groups: {more: {enabled: true}}
      reminders:
        more:
          category: MORE
          group: more
          every: {day: {at: "12:00"}}
          expires: 1h
          messages: [{title: More, body: A text.}]
        less:
          category: LESS
          group: more
          every: {day: {at: "12:00"}}
          expires: 1h
          messages: [{title: Less, body: A text.}]
      """
    try await TestServer.serving(service, control: Mailer()) { server in
      let json = try await messages(server, ["name": "more.yaml", "source": .string(source)]).json
      let (more, less) = (json["reminders"]?[0], json["reminders"]?[1])
      #expect(more?["channels"] == ["push", "email"] && less?["channels"] == ["push"])
      #expect(
        more?["messages"]?[0]?[0]?["email"]
          == ["subject": "More", "text": "MORE: A text.", "html": "<p>"])
      #expect(less?["messages"]?[0]?[0]?["email"] == nil)
    }
  }

  private func trial(_ server: TestServer, _ body: JSONObject) async throws -> Reply {
    try await server.post(document(body), to: "/v1/catalog-trials")
  }

  @Test func `a trial reports what a draft changes for recipients`() async throws {
    for name in ["amina", "bilal"] { try await service.ingest("streak.started", of: name) }
    try await TestServer.serving(service) { server in
      let text = try await source(server)
      let same = try await trial(server, ["name": "imanpath", "source": .string(text)]).json
      #expect(same["changes"] == [] && same["changed"] == 0 && same["exact"] == true)
      #expect(same["through"] == "2026-03-09T02:00:00.000Z")
      let draft = text.replacing(
        "checkin: {enabled: true, time: \"21:00\"}",
        with: "checkin: {enabled: true, time: \"20:00\"}")
      #expect(draft != text)
      let body: JSONObject = ["name": "imanpath", "source": .string(draft), "days": 3]
      let reply = try await trial(server, body)
      #expect(
        try reply.json["changes"] == [
          [
            "reminder": "daily-checkin-reminder", "change": "moved", "notifications": 6,
            "people": 2, "examples": ["amina", "bilal"],
          ]
        ])
      #expect(try await source(server) == text, "the draft is loaded")
      #expect(!reply.text.contains("Check-in"))
    }
  }

  private func replay(_ server: TestServer, _ body: JSONObject) async throws -> Reply {
    try await server.post(document(body), to: "/v1/replays")
  }

  @Test func `L5: a replay reports what a draft would have sent`() async throws {
    for name in ["amina", "bilal"] { try await service.ingest("streak.started", of: name) }
    try service.run(to: "2026-03-04T23:00:00Z")
    try await TestServer.serving(service) { server in
      let text = try await source(server)
      var body: JSONObject = [
        "name": "imanpath", "source": .string(text), "since": "2026-03-02T03:00:00Z",
      ]
      let same = try await replay(server, body).json
      #expect(same["changed"] == 0 && same["exact"] == true && same["unknown"] == [])
      #expect(same["now"] == "2026-03-04T23:00:00.000Z" && same["asked"] == 2)
      let lines = try #require(same["lines"]?.arrayValue)
      #expect(!lines.isEmpty && lines.allSatisfy { $0["then"] == $0["now"] })
      let draft = text.replacing(
        "checkin: {enabled: true, time: \"21:00\"}",
        with: "checkin: {enabled: true, time: \"20:00\"}")
      #expect(draft != text)
      (body["source"], body["since"]) = (.string(draft), "2d")
      (body["recipient"], body["perDay"]) = ("bilal", 1)
      let reply = try await replay(server, body)
      let line = try #require(try reply.json["lines"]?[0])
      #expect(line["reminder"] == "daily-checkin-reminder" && line["channel"] == "push")
      #expect(
        line["changes"] == [
          ["change": "moved", "notifications": 2, "people": 1, "examples": ["bilal"]]
        ])
      #expect(try reply.json["people"] == 1 && reply.json["perDay"] == 1)
      #expect(try await source(server) == text, "the draft is loaded")
      #expect(!reply.text.contains("Check-in"))
    }
  }

  @Test func `L6: a replay without a catalog audits the record`() async throws {
    for name in ["amina", "bilal"] { try await service.ingest("streak.started", of: name) }
    try service.run(to: "2026-03-04T23:00:00Z")
    try await TestServer.serving(service) { server in
      let audit = try await replay(server, ["since": "2026-03-02T03:00:00Z"]).json
      #expect(audit["since"] == "2026-03-02T03:00:00.000Z")
      #expect(audit["until"] == "2026-03-04T22:59:00.000Z")
      #expect(audit["people"] == 2 && audit["audited"] == 2 && audit["exact"] == true)
      #expect(audit["differences"] == 0 && audit["following"] == 0 && audit["findings"] == [])
      #expect(audit["excused"] == [] && audit["unknown"] == [])
      #expect(audit["shortened"] == 0 && audit["leftOut"] == 0)
      let count = try #require(audit["occurrences"]?.integerValue)
      let one = try await replay(server, ["since": "2d", "recipient": "bilal"]).json
      #expect(one["people"] == 1 && one["differences"] == 0)
      let part = try #require(one["occurrences"]?.integerValue)
      #expect(part > 0 && part < count)
    }
  }

  @Test(
    arguments: [
      (["name": "imanpath"], "name is of no use without source; leave it out"),
      (["perDay": 3], "perDay is of no use without source; leave it out"),
      (["source": "catalog: n"], "name is missing; add the name of the catalog"),
      (["recipient": "amina", "sample": 3], "sample is of no use with a recipient"),
    ] as [(JSONObject, String)])
  func `L6: an audit with members of another request is refused`(
    members: JSONObject, reason: String
  ) async throws {
    try service.run(to: "2026-03-04T23:00:00Z")
    try await TestServer.serving(service) { server in
      var body: JSONObject = ["since": "1h"]
      for member in members { body[member.key] = member.value }
      let reply = try await replay(server, body)
      #expect(reply.status == 422)
      #expect(reply.text.contains(reason), "\(reply.text)")
    }
  }

  @Test func `L6: an audit of an unknown recipient or past is refused`() async throws {
    try service.run(to: "2026-03-04T23:00:00Z")
    try await TestServer.serving(service) { server in
      let unknown = try await replay(server, ["since": "1h", "recipient": "nobody"])
      #expect(unknown.status == 404)
      let early = try await replay(server, ["since": "2026-03-01T03:00:00Z"])
      #expect(early.status == 422)
      #expect(early.text.contains("since is before 2026-03-02T02:00:00.000Z"), "\(early.text)")
    }
  }

  @Test(
    arguments: [
      (["since": "2026-03-01T03:00:00Z"], 422, "since is before 2026-03-02T02:00:00.000Z"),
      (["since": "2026-04-01T03:00:00Z"], 422, "since is in the future"),
      (["since": "soon"], 422, "since must be an instant, or a length of time such as 30d"),
      (["since": "1h", "recipient": "nobody"], 404, "nobody"),
      (["since": "1h", "recipient": "amina", "sample": 3], 422, "sample is of no use"),
    ] as [(JSONObject, Int, String)])
  func `L5: a replay of a past that is not known is refused`(
    members: JSONObject, status: Int, reason: String
  ) async throws {
    try service.run(to: "2026-03-04T23:00:00Z")
    try await TestServer.serving(service) { server in
      var body: JSONObject = ["name": "imanpath", "source": .string(try await source(server))]
      for member in members { body[member.key] = member.value }
      let reply = try await replay(server, body)
      #expect(reply.status == status)
      #expect(reply.text.contains(reason), "\(reply.text)")
    }
  }

  @Test(arguments: [
    #"{"name":"imanpath"}"#, #"{"name":"n","source":"["}"#,
    #"{"name":"n","source":"catalog: n","days":15}"#, #"{"name":"n","source":"","x":1}"#,
  ])
  func `an invalid draft is not tried`(body: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.post(body, to: "/v1/catalog-trials")
      #expect(reply.status == 422, "\(reply.text)")
    }
  }

  @Test(arguments: [#"{"name": "none"}"#, #"{"name": "imanpath", "source": "catalog: ["}"#, "{}"])
  func `an invalid catalog has no messages`(body: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.call("POST", "/v1/catalog-messages", body: body)
      #expect(reply.status == 422, "\(reply.text)")
    }
  }
}
