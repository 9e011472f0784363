import Access
import CivilTime
import HTTPTypes
import JSON
import Outbox
import Reminders
import Testing

@testable import API
@testable import Engine

/// `POST /v1/imports/icalendar`: a calendar is imported as a whole or not at all (rule E14).
@Suite(.timeLimit(.minutes(1))) struct CalendarImportTests {
  private static let catalog = """
    catalog: doses
    events:
      dose.planned: {from: recipient, medicine: identifier, name: text, schedule: plan}
      dose.prescribed: {medicine: identifier, name: text, schedule: plan}
      dose.taken: {medicine: identifier}
      dose.ended: {medicine: identifier}
    categories:
      DOSE: {title: Doses, urgency: normal, channels: {push: true}}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        every: {plan: schedule}
        since: dose.planned
        cancel: dose.ended
        expires: 12h
        messages:
          - {title: "{{name}}", body: Now.}
    """

  private static let planner = Result { try Fixtures.planner(catalog: catalog) }
  private static let daily = "DTSTART:20260302T080000Z\nRRULE:FREQ=DAILY"

  /// Returns a calendar with an event for each name. Each event has six lines.
  private static func calendar(_ names: [String], _ lines: String = daily) -> String {
    let events = names.map { "BEGIN:VEVENT\nUID:\($0)\nSUMMARY:\($0)\n\(lines)\nEND:VEVENT\n" }
    return "BEGIN:VCALENDAR\n\(events.joined())END:VCALENDAR\n"
  }

  private static func path(_ query: String = "&recipient=u1", as type: String = "dose.planned")
    -> String
  {
    "/v1/imports/icalendar?as=\(type)\(query)"
  }

  private let tokens = FakeTokens()

  private func serving(
    _ body: (TestServer, FakeService) async throws -> Void
  ) async throws {
    let service = try FakeService(Self.planner)
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) {
      try await body($0, service)
    }
  }

  private func send(
    _ calendar: String, to server: TestServer, _ path: String = path(), token: String? = nil,
    as type: String = "text/calendar; charset=utf-8"
  ) async throws -> Reply {
    var headers = ["content-type": type]
    headers["authorization"] = token.map { "Bearer \($0)" }
    return try await server.call("POST", path, headers: headers, body: calendar)
  }

  // MARK: - Events

  @Test func `E14: the events of a calendar are one request, and are listed with their UIDs`()
    async throws
  {
    try await serving { server, service in
      let calendar = Self.calendar(["iron", "zinc"])
      let reply = try await send(calendar, to: server)
      #expect(reply.status == 200, "\(reply.text)")
      let items = try #require(try reply.json["items"]?.arrayValue)
      #expect(items.map { $0["uid"] } == ["iron", "zinc"])
      #expect(items.map { $0["line"] } == [2, 8])
      #expect(items.map { $0["status"] } == ["accepted", "accepted"])
      let plan: JSONValue = [
        "times": ["08:00"], "from": "2026-03-02T08:00", "zone": "UTC", "rule": "FREQ=DAILY",
      ]
      #expect(items[0]["data"]?["schedule"] == plan)
      #expect(try reply.json["accepted"] == 2 && reply.json["dryRun"] == false)
      #expect(service.groups.map(\.count) == [2])
      #expect(items.map { $0["id"]?.stringValue } == service.groups[0])
      #expect(service.events.map(\.recipient) == ["u1", "u1"])
      #expect(service.events.map(\.type) == ["dose.planned", "dose.planned"])
    }
  }

  @Test func `E14: the same calendar again changes nothing, and a changed component is new`()
    async throws
  {
    try await serving { server, service in
      _ = try await send(Self.calendar(["iron", "zinc"]), to: server)
      let again = try await send(Self.calendar(["iron", "zinc"]), to: server).json
      #expect(again["duplicate"] == 2 && again["accepted"] == 0)
      let changed =
        Self.calendar(["iron"]) + Self.calendar(["zinc"], "DTSTART:20260302T090000Z")
      let reply = try await send(changed, to: server).json
      #expect(reply["items"]?.arrayValue?.map { $0["status"] } == ["duplicate", "accepted"])
      let entities = service.groups.map(\.count)
      #expect(entities == [2, 2, 2])
    }
  }

  @Test func `E14: imported reminders are sent, and a changed file replaces them`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z") { batch in
      batch.map { _ in SinkAnswer(.delivered) }
    }
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      func pending() async throws -> [String?] {
        let page = try await server.get("/v1/recipients/u1/pending").json
        return page["pending"]?.arrayValue?.map { $0["at"]?.stringValue } ?? []
      }
      let first = try await send(Self.calendar(["iron"]), to: server)
      #expect(first.status == 200, "\(first.text)")
      let again = try await send(Self.calendar(["iron"]), to: server).json
      #expect(again["unchanged"] == 1 && again["duplicate"] == 0 && again["accepted"] == 0)
      #expect(try await pending() == ["2026-03-02T08:00:00.000Z"])
      try service.run(to: "2026-03-02T08:30:00Z")
      let moved = Self.calendar(["iron"], "DTSTART:20260303T093000Z")
      #expect(try await send(moved, to: server).json["accepted"] == 1)
      #expect(try await pending() == ["2026-03-03T09:30:00.000Z"])
      #expect(try await send(moved, to: server).json["unchanged"] == 1)
      #expect(try await send(Self.calendar(["iron"]), to: server).json["accepted"] == 1)
      #expect(try await pending() == ["2026-03-03T08:00:00.000Z"])
      try service.run(to: "2026-03-04T00:00:00Z")
      #expect(service.delivered.map(\.message.title) == ["iron", "iron"])
    }
  }

  @Test func `E14: an ended or past plan is not imported, and a dry run says so`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      let past = Self.calendar(["zinc"], "DTSTART:20260302T050000Z")
      let calendar = Self.calendar(["iron"]) + past
      func compared(_ calendar: String = calendar) async throws -> [JSONValue?] {
        let dryRun = Self.path("&recipient=u1&dryRun=true")
        let expected = try await send(calendar, to: server, dryRun).json
        let answer = try await send(calendar, to: server).json
        let items = answer["items"]?.arrayValue ?? []
        let comparisons = items.map { $0["comparison"] }
        #expect(expected["items"]?.arrayValue?.map { $0["comparison"] } == comparisons)
        return comparisons
      }
      #expect(try await compared() == ["new", "past"])
      #expect(try await compared() == ["known", "past"])
      try await service.ingest("dose.ended", ["medicine": "iron"], of: "u1")
      #expect(try await compared() == ["ended", "past"])
      let newer = Self.calendar(["iron"], Self.daily + "\nSEQUENCE:1")
      let warning = try await send(newer, to: server).json["items"]?[0]?["warnings"]?[0]
      #expect(warning?.stringValue?.hasPrefix("this plan was ended; to plan it again") == true)
      try service.run(to: "2026-09-01T00:00:00Z")
      try await service.ingest("dose.ended", ["medicine": "salt"], of: "u1")
      #expect(try await compared() == ["ended", "past"])
      let page = try await server.get("/v1/recipients/u1/pending").json
      #expect(page["pending"]?.arrayValue?.isEmpty == true)
    }
  }

  @Test func `E14: an erased recipient is not planned again by the same file`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      let calendar = Self.calendar(["iron"])
      _ = try await send(calendar, to: server)
      try service.run(to: "2026-03-02T07:00:00Z")
      try await service.ingest("recipient.deleted", of: "u1")
      let item = try await send(calendar, to: server).json["items"]?[0]
      #expect(item?["comparison"] == "new" && item?["status"] == "duplicate")
      let warning = item?["warnings"]?[0]?.stringValue
      #expect(warning?.hasPrefix("this version was imported before") == true)
      #expect(try await server.get("/v1/recipients/u1/pending").status == 404)
    }
  }

  @Test func `E14: a past entry does not end the general reminders of medication`() async throws {
    let service = try LiveService("wellness", at: "2026-03-02T10:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      try await service.ingest(
        "preferences.updated", ["reminders": ["medication": ["enabled": true]]], of: "u1")
      func general() async throws -> [JSONValue?] {
        let page = try await server.get("/v1/recipients/u1/pending").json
        let pending = page["pending"]?.arrayValue ?? []
        return pending.filter { $0["reminder"] == "medication-reminder" }.map { $0["at"] }
      }
      let times = try await general()
      #expect(times.isEmpty == false)
      let path = Self.path("&recipient=u1", as: "medication.planned")
      let past = Self.calendar(["iron"], "DTSTART:20260302T080000Z")
      #expect(try await send(past, to: server, path).json["unchanged"] == 1)
      #expect(try await general() == times)
    }
  }

  @Test func `E14: plans beyond the recipient's limit are refused together`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      let names = (1...65).map { "m\($0)" }
      let refused = try await send(Self.calendar(names), to: server)
      #expect(refused.status == 429)
      let detail = try refused.json["detail"]?.stringValue ?? ""
      let line = 2 + 64 * Self.calendar(["m"]).split(separator: "\n").dropFirst(2).count
      #expect(try refused.json["path"] == .string("line \(line)"))
      #expect(
        detail.hasPrefix(
          "line \(line) has \"m65\", one too many: the recipient has 64 plans; at most 64 are "
            + "allowed"), "\(detail)")
      #expect(detail.hasSuffix("; nothing was imported"), "\(detail)")
      let most = Self.calendar(Array(names.dropLast()))
      #expect(try await send(most, to: server).json["accepted"] == 64)
      #expect(try await send(most, to: server).json["unchanged"] == 64)
      #expect(try await send(Self.calendar(["m65"]), to: server).status == 429)
      let past = Self.calendar(["m65"], "DTSTART:20260301T080000Z")
      #expect(try await send(past, to: server).json["unchanged"] == 1)
    }
  }

  @Test func `E14: known plans do not count towards the limit of a repeated import`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    try await TestServer.serving(service, now: clock) { server in
      let names = (1...64).map { "m\($0)" }
      #expect(try await send(Self.calendar(names), to: server).json["accepted"] == 64)
      try await service.ingest("dose.ended", ["medicine": "m1"], of: "u1")
      #expect(try await send(Self.calendar(["n1"]), to: server).json["accepted"] == 1)
      #expect(try await send(Self.calendar(names), to: server).json["unchanged"] == 64)
      let changed =
        Self.calendar(Array(names.dropLast())) + Self.calendar(["m64"], "DTSTART:20260303T090000Z")
      let answer = try await send(changed, to: server).json
      #expect(answer["accepted"] == 1 && answer["unchanged"] == 63)
    }
  }

  @Test func `E14: events that another request leaves no room for are a 207`() async throws {
    try await serving { server, service in
      service.set { $0.overfull = ["u1"] }
      let reply = try await send(Self.calendar(["iron"]), to: server)
      #expect(reply.status == 207)
      let item = try #require(try reply.json["items"]?[0])
      #expect(item["status"] == "refused" && item["problem"]?["status"] == 429)
      #expect(try reply.json["refused"] == 1)
    }
  }

  @Test func `E14: a service that accepts nothing refuses the whole calendar`() async throws {
    try await serving { server, service in
      service.set { $0.groupsLeft = 0 }
      #expect(try await send(Self.calendar(["iron"]), to: server).status == 507)
      service.set { ($0.groupsLeft, $0.foreign) = (9, ["u1"]) }
      let reply = try await send(Self.calendar(["iron", "zinc"]), to: server)
      #expect(reply.status == 503 && reply["retry-after"] == "1")
    }
  }

  // MARK: - Refusals

  @Test func `E14: a calendar with flaws is a 422 that lists each, and nothing is imported`()
    async throws
  {
    try await serving { server, service in
      let calendar =
        Self.calendar(["iron"]) + Self.calendar(["zinc"], Self.daily + "\nEXRULE:FREQ=DAILY")
        + Self.calendar(["salt"], "DTSTART;VALUE=DATE:20260302")
      let reply = try await send(calendar, to: server)
      #expect(reply.status == 422 && service.groups.isEmpty)
      let problem = try reply.json
      #expect(problem["type"] == "urn:chimed:problem:invalid-body")
      let faults = problem["problems"]?.arrayValue ?? []
      #expect(faults.map { $0["line"] } == [15, 22])
      #expect(faults[0]["message"]?.stringValue?.hasPrefix("EXRULE leaves out dates") == true)
      let detail = problem["detail"]?.stringValue ?? ""
      #expect(detail.hasPrefix("line 15: EXRULE leaves out dates"), "\(detail)")
      #expect(detail.hasSuffix("; 1 more part is faulty; nothing was imported"), "\(detail)")
    }
  }

  @Test func `E14: at most 100 flaws are listed`() async throws {
    try await serving { server, _ in
      let calendar = Self.calendar((1...103).map { "\($0)" }, "DTSTART:soon")
      let faults = try await send(calendar, to: server).json["problems"]?.arrayValue ?? []
      #expect(faults.count == 101)
      #expect(faults.last?["message"] == "3 more parts are faulty" && faults.last?["line"] == 0)
    }
  }

  @Test func `H6: at most 100 ignored parts of alarms are listed`() async throws {
    try await serving { server, _ in
      let alarms = String(repeating: "\nBEGIN:VALARM\nTRIGGER:-PT5M\nEND:VALARM", count: 1_900)
      let path = Self.path("&recipient=u1&ignoreAlarms=true&dryRun=true")
      let reply = try await send(Self.calendar(["iron"], Self.daily + alarms), to: server, path)
      let ignored = try reply.json["ignored"]?.arrayValue ?? []
      #expect(ignored.count == 101)
      #expect(ignored.last?["message"] == "1800 more parts are ignored")
    }
  }

  @Test func `E14: a dry run checks the calendar and imports nothing`() async throws {
    try await serving { server, service in
      let path = Self.path("&recipient=u1&dryRun=true")
      let reply = try await send(Self.calendar(["iron"]), to: server, path)
      #expect(reply.status == 200 && service.groups.isEmpty)
      #expect(try reply.json["dryRun"] == true && reply.json["accepted"] == 0)
      let item = try #require(try reply.json["items"]?[0])
      #expect(item["uid"] == "iron" && item["status"] == nil && item["comparison"] == "new")
      let faulty = Self.calendar(["iron"], "DTSTART:soon")
      #expect(try await send(faulty, to: server, path).status == 422)
    }
  }

  @Test func `E14: whole days and alarms are imported as the caller asks`() async throws {
    try await serving { server, _ in
      let lines = "DTSTART;VALUE=DATE:20260302\nBEGIN:VALARM\nTRIGGER:-PT5M\nEND:VALARM"
      let calendar = Self.calendar(["iron"], lines)
      #expect(try await send(calendar, to: server).status == 422)
      let path = Self.path("&recipient=u1&allDay=07:30&ignoreAlarms=true")
      let reply = try await send(calendar, to: server, path).json
      #expect(reply["items"]?[0]?["data"]?["schedule"]?["times"] == ["07:30"])
      #expect(reply["ignored"]?.arrayValue?.map { $0["line"] } == [7])
    }
  }

  @Test(arguments: [
    ("/v1/imports/icalendar?recipient=u1", "as is missing; add as=EVENT"),
    (path(""), "recipient is missing; add ?recipient=ID"),
    (path(as: "dose.planed"), "as names \"dose.planed\", which is not declared; such"),
    (path("&recipient=u1", as: "dose.taken"), "as names \"dose.taken\", but an imported type has"),
    (path("&recipient=u1&allDay=8"), "allDay must be a time such as 08:00; it is \"8\""),
    (path("&recipient=u1&dryRun=yes"), "dryRun must be true or false"),
    (path("&recipient=u1&ignoreAlarms=1"), "ignoreAlarms must be true or false"),
    (path("&recipient=u1&zone=UTC"), "the parameter \"zone\" is not known"),
  ])
  func `E14: a wrong parameter is a 400 that names it`(path: String, detail: String) async throws {
    try await serving { server, service in
      let reply = try await send(Self.calendar(["iron"]), to: server, path)
      #expect(reply.status == 400 && service.groups.isEmpty)
      #expect(try reply.json["detail"]?.stringValue?.hasPrefix(detail) == true, "\(reply.text)")
    }
  }

  @Test func `E14: another type of content is refused`() async throws {
    try await serving { server, service in
      for type in ["application/json", "text/calendars", "text/plain"] {
        let reply = try await send(Self.calendar(["iron"]), to: server, as: type)
        #expect(reply.status == 415)
        #expect(reply["accept-post"] == "text/calendar, application/octet-stream")
      }
      let reply = try await server.call(
        "POST", Self.path(),
        headers: ["content-type": "text/calendar", "content-encoding": "gzip"], body: "x")
      #expect(reply.status == 415 && service.groups.isEmpty)
      #expect(try await send(Self.calendar(["a"]), to: server, as: "Text/Calendar").status == 200)
    }
  }

  @Test func `H3: a calendar beyond the limit of a body is a 413`() async throws {
    try await serving { server, service in
      let reply = try await send(String(repeating: "X", count: 1 << 20 + 1), to: server)
      #expect(reply.status == 413 && service.groups.isEmpty)
    }
  }

  // MARK: - Callers

  @Test func `E14: a recipient's own token imports events that recipients may report`()
    async throws
  {
    try await serving { server, service in
      let (token, calendar) = (tokens.make(.recipient("u1")), Self.calendar(["iron"]))
      #expect(try await send(calendar, to: server, Self.path(""), token: token).status == 200)
      #expect(service.events.map(\.source) == ["recipient:u1/icalendar"])
      let other = Self.path("&recipient=u2")
      #expect(try await send(calendar, to: server, other, token: token).status == 403)
      let prescribed = Self.path("", as: "dose.prescribed")
      let refused = try await send(calendar, to: server, prescribed, token: token)
      #expect(refused.status == 403)
      #expect(try refused.json["type"] == "urn:chimed:problem:foreign-event")
      #expect(service.groups.count == 1)
    }
  }

  @Test func `E14: the events of a recipient's token count against its limit`() async throws {
    var limits = APILimits()
    limits.recipientEvents = 2
    let service = try FakeService(Self.planner)
    let access = APIAccess(tokens: tokens)
    let token = tokens.make(.recipient("u1"))
    try await TestServer.serving(service, access: access, limits: limits) { server in
      var statuses: [Int] = []
      for (names, query) in [
        (["a", "b", "c"], ""), (["a", "b", "c"], "&dryRun=true"), (["a", "b"], ""), (["c"], ""),
      ] {
        let calendar = Self.calendar(names)
        let reply = try await send(calendar, to: server, Self.path(query), token: token)
        statuses.append(reply.status)
      }
      #expect(statuses == [429, 200, 200, 429])
    }
    #expect(service.groups.map(\.count) == [2])
  }

  @Test func `H19: a token for reports imports events of its types and source`() async throws {
    try await serving { server, service in
      let calendar = Self.calendar(["iron"])
      for (types, source, status) in [
        (["dose.planned"], nil, 200), (["dose.taken"], nil, 403), ([], "icalendar", 200),
        ([], "shop", 403),
      ] as [([String], String?, Int)] {
        let grant = try #require(ReportGrant(types: types, source: source))
        let token = tokens.make(.report(grant))
        let reply = try await send(calendar, to: server, token: token)
        #expect(reply.status == status, "\(types) \(source ?? ""): \(reply.text)")
        #expect(try await send(calendar, to: server, Self.path(""), token: token).status == 400)
      }
      #expect(service.groups.count == 2)
    }
  }

  @Test func `H5: imports by support and administrators are logged with the recipient`()
    async throws
  {
    let audit = CollectingAudit()
    var access = APIAccess(tokens: tokens)
    access.audit = audit
    let (support, observer) = (tokens.make(.support), tokens.make(.observer))
    let others = [tokens.make(.administrator), tokens.make(.recipient("u1"))]
    let service = try FakeService(Self.planner)
    try await TestServer.serving(service, access: access) { server in
      let calendar = Self.calendar(["iron"])
      let refused = try await send(calendar, to: server, token: observer)
      #expect(refused.status == 403 && service.groups.isEmpty)
      let dryRun = Self.path("&recipient=u1&dryRun=true")
      for path in [dryRun, Self.path()] {
        let reply = try await send(calendar, to: server, path, token: support)
        #expect(reply.status == 200)
      }
      for token in others {
        #expect(try await send(calendar, to: server, token: token).status == 200)
      }
    }
    #expect(audit.entries.map(\.action) == ["importCalendar", "importCalendar"])
    #expect(audit.entries.map(\.recipient) == ["u1", "u1"])
    #expect(audit.entries.map(\.subject) == ["as=dose.planned", "as=dose.planned"])
  }

  @Test func `H5: an import that reports nothing is not logged`() async throws {
    let service = try LiveService(text: Self.catalog, at: "2026-03-02T06:00:00Z")
    let clock: @Sendable () -> Instant = { service.now }
    let audit = CollectingAudit()
    var access = APIAccess(tokens: tokens)
    access.audit = audit
    let token = tokens.make(.support)
    try await TestServer.serving(service, access: access, now: clock) { server in
      for accepted in [1, 0] as [JSONValue] {
        let reply = try await send(Self.calendar(["iron"]), to: server, token: token)
        #expect(reply.status == 200)
        #expect(try reply.json["accepted"] == accepted)
      }
    }
    #expect(audit.entries.map(\.action) == ["importCalendar"])
  }

  @Test func `F3: a calendar is imported by the owner of its recipient`() async throws {
    let fleet = FakeFleet()
    let services = try (0..<2).map { _ in try FakeService(Self.planner) }
    fleet.give("u1", to: "b")
    let token = tokens.make(.recipient("u1"))
    try await fleet.serving(services, access: APIAccess(tokens: tokens)) { nodes in
      let calendar = Self.calendar(["iron", "zinc"])
      let reply = try await send(calendar, to: nodes[0], Self.path(""), token: token).json
      #expect(reply["accepted"] == 2)
      let again = try await send(calendar, to: nodes[1], Self.path(""), token: token).json
      #expect(again["duplicate"] == 2)
    }
    #expect(services.map { $0.groups.count } == [0, 2])
    #expect(Set(services[1].events.map(\.source)) == ["recipient:u1/icalendar"])
  }
}
