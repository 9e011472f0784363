import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import API
@testable import Engine

/// Rules D14 and D15: replies to text messages, `POST /v1/replies/{sink}`.
@Suite(.timeLimit(.minutes(1))) struct ReplyRouteTests {
  private static let catalog = """
    catalog: care
    events:
      dose.due: {dose: identifier, name: text}
      dose.taken: {dose: identifier, from: recipient}
      walk.done: {from: recipient}
      walk.due: {}
      push.due: {}
      code.due: {}
      visit.booked: {visit: identifier, at: instant}
    categories:
      DOSE: {title: Doses, channels: {sms: true}}
      WALK: {title: Walks, channels: {sms: true, inapp: true}}
      PUSH:
        title: Others
        channels: {push: true, inapp: true, sms: fallback}
        confirm: {within: 10m, else: sms}
      CODE: {title: Codes, locked: true, channels: {sms: true, email: fallback}}
      ASK:
        title: Requests
        channels: {sms: true}
        actions: {later: {title: Later, snooze: 30m}}
      PIN: {title: Pins, urgency: mandatory, channels: {sms: true}}
    groups:
      all: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: all
        on: {event: dose.due, delay: 1s}
        expires: 2h
        actions:
          taken: {title: {en: Taken, de: Genommen}, event: dose.taken}
          later: {snooze: 30m}
        messages: [{title: "{{name}}", body: Take it.}]
      visit:
        category: DOSE
        group: all
        before: {event: visit.booked, at: at, by: 30m}
        expires: 2h
        actions:
          later: {snooze: 2h}
        messages: [{title: Visit, body: Soon.}]
      walk:
        category: WALK
        group: all
        on: {event: walk.due, delay: 1s}
        expires: 2h
        actions:
          walked: {title: I walked, event: walk.done}
        messages: [{title: Walk, body: Go out.}]
      refill:
        category: WALK
        group: all
        on: {event: dose.taken, delay: 5d}
        expires: 2h
        messages: [{title: Refill, body: Order it.}]
      push:
        category: PUSH
        group: all
        on: {event: push.due, delay: 1s}
        expires: 2h
        actions:
          walked: {title: I walked, event: walk.done}
        messages: [{title: Other, body: Go out.}]
      code:
        category: CODE
        group: all
        on: {event: code.due, delay: 1s}
        expires: 2h
        messages: [{title: Code, body: "1234"}]
      pin:
        category: PIN
        group: all
        on: {event: code.due, delay: 1s}
        expires: 2h
        messages: [{title: Pin, body: "5678"}]
    """

  private static let number = "+32 2 123 45 67"
  /// The types of the events that report STOP.
  private static let commandTypes = ["preferences.updated", "permission.changed"]
  private let service: LiveService
  private let readers = CurrentServiceReaders(
    ServiceReaders(
      replies: ["texts": ServiceReaders.Replies(reader: PlainReplyReader(), help: "Call us.")]))

  init() async throws {
    service = try LiveService(text: Self.catalog, at: "2026-03-02T12:00:00Z") {
      $0.map { _ in .delivered }
    }
    try await service.ingest("recipient.updated", ["phone": .string(Self.number)], of: "amina")
  }

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.serving(
      service, access: APIAccess(serviceReaders: readers), now: { [service] in service.now }, body)
  }

  /// Causes a reminder, and lets it be sent.
  private func remind(
    _ type: String, _ data: JSONValue = [:], of name: String = "amina"
  ) async throws {
    try await service.ingest(type, data, of: name)
    try service.run(to: (service.now + .seconds(2)).description)
  }

  private var dose: JSONValue { ["dose": "d1", "name": "Iron"] }

  @discardableResult
  private func reply(
    _ text: String, id: String = "m1", from number: String = "+3221234567", _ server: TestServer
  ) async throws -> Reply {
    try await server.post("secret|\(id)|\(number)|\(text)", to: "/v1/replies/texts")
  }

  private func types(of name: String = "amina") async throws -> [String] {
    let page = try await service.answer(ExportQuery(of: name, .events(from: nil)))
    return (page?.events ?? []).reversed().map(\.type)
  }

  /// The types of a recipient's events, except those of the apps and those that accompany every
  /// answer, in the order of arrival.
  private func effects(of name: String = "amina") async throws -> [String] {
    let others = ["recipient.updated", "reply.received", "notification.opened"]
    return try await types(of: name).filter { !$0.hasSuffix(".due") && !others.contains($0) }
  }

  private func counts(_ server: TestServer) async throws -> [String] {
    try await server.get("/metrics").text.split(separator: "\n").map(String.init).filter {
      $0.hasPrefix("chimed_replies_total{")
    }
  }

  @Test(arguments: ["taken", "GENOMMEN!", "1", "yes"])
  func `D15: a reply chooses an action of the latest message, once`(text: String) async throws {
    try await remind("dose.due", dose)
    try await serving { server in
      for _ in 1...2 { #expect(try await reply(text, server).status == 200) }
      #expect(try await effects() == ["dose.taken"])
      try await reply(text, id: "m2", server)
      #expect(try await effects() == ["dose.taken"])
      #expect(try await types().count { $0 == "notification.opened" } == 1)
      #expect(
        try await counts(server) == [
          #"chimed_replies_total{sink="texts",outcome="answered"} 2"#,
          #"chimed_replies_total{sink="texts",outcome="repeated"} 1"#,
        ])
    }
  }

  @Test func `D15: later snoozes the reminder, which comes again`() async throws {
    try await remind("dose.due", dose)
    try await serving { server in
      try await reply("Later", server)
      #expect(try await effects() == ["pending.snoozed"])
      let before = service.delivered.count
      try service.run(to: (service.now + .minutes(31)).description)
      #expect(service.delivered.count == before + 1)
    }
  }

  /// Each reply chooses the latest message without an answer, so none may miss the answer of
  /// another one.
  @Test func `D15: replies that arrive at the same time answer one message each`() async throws {
    for number in 1...12 {
      try await remind("dose.due", ["dose": .string("d\(number)"), "name": "Iron"])
    }
    try await serving { server in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...12 {
          group.addTask { try await reply("yes", id: "m\(number)", server).status }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try await effects() == Array(repeating: "dose.taken", count: 12))
    }
  }

  @Test func `D15: a name may be of an earlier message, a number is of the latest`() async throws {
    try await remind("dose.due", dose)
    try await remind("walk.due")
    try await serving { server in
      try await reply("taken", id: "m1", server)
      try await reply("1", id: "m2", server)
      #expect(try await effects() == ["dose.taken", "walk.done"])
    }
  }

  @Test func `D14: a repeated reply does not answer a later message`() async throws {
    try await remind("dose.due", dose)
    try await serving { server in
      try await reply("yes", id: "m1", server)
      try await remind("walk.due")
      try await reply("yes", id: "m1", server)
      #expect(try await effects() == ["dose.taken"])
      try await reply("yes", id: "m2", server)
      #expect(try await effects() == ["dose.taken", "walk.done"])
    }
  }

  @Test func `D15: the same word answers one message after the other`() async throws {
    try await remind("dose.due", dose)
    try await remind("dose.due", ["dose": "d2", "name": "Zinc"])
    try await serving { server in
      for id in ["m1", "m2", "m3"] { try await reply("taken", id: id, server) }
      let page = try await service.answer(ExportQuery(of: "amina", .events(from: nil)))
      let taken = (page?.events ?? []).reversed().filter { $0.type == "dose.taken" }
      #expect(
        taken.map { String(decoding: $0.data, as: UTF8.self) } == [
          #"{"dose":"d2"}"#, #"{"dose":"d1"}"#,
        ])
    }
  }

  @Test func `D15: a message that no SMS has delivered is not the latest`() async throws {
    try await remind("dose.due", dose)
    try await remind("push.due")
    try await serving { server in
      try await reply("1", server)
      #expect(try await effects() == ["dose.taken"])
    }
  }

  @Test func `D15: a reply whose event is refused is unmatched, and answered without an error`()
    async throws
  {
    try await remind("dose.due", dose)
    for number in 0..<Facts.openEntitiesMax {
      try await service.ingest("dose.taken", ["dose": .string("x\(number)")], of: "amina")
    }
    let before = try await effects().count
    try await serving { server in
      let answer = try await reply("taken", server)
      #expect(answer.status == 200)
      #expect(try await effects().dropFirst(before) == ["reply.unmatched"])
      let types = try await types()
      #expect(!types.contains("notification.opened") && !types.contains("reply.received"))
      #expect(
        try await counts(server) == [#"chimed_replies_total{sink="texts",outcome="unmatched"} 1"#])
    }
  }

  /// A kill between two transactions, and the same request again.
  @Test(arguments: ["taken", "later"], 0...3)
  func `D15: a request that is repeated after a crash has one effect and one record`(
    text: String, submissionsMax: Int
  ) async throws {
    try await remind("dose.due", ["dose": "d2", "name": "Zinc"])
    try await remind("dose.due", dose)
    let before = try await types()
    try await serving { server in
      service.stop(afterSubmissions: submissionsMax)
      let status = try await reply(text, server).status
      #expect(status == (submissionsMax == 0 ? 503 : 200))
      service.stop(afterSubmissions: nil)
      #expect(try await reply(text, server).status == 200)
      let effect = text == "taken" ? "dose.taken" : "pending.snoozed"
      #expect(
        try await types().dropFirst(before.count) == [
          "reply.received", effect, "notification.opened",
        ])
      let page = try await service.answer(ExportQuery(of: "amina", .events(from: nil)))
      let event = try #require(page?.events.first { $0.type == effect })
      if text == "taken" { #expect(String(decoding: event.data, as: UTF8.self).contains("d1")) }
    }
  }

  @Test func `D15: a refused snooze is recorded once, also after a crash`() async throws {
    try await remind("visit.booked", ["visit": "v1", "at": "2026-03-02T12:20:00Z"])
    let before = try await types()
    try await serving { server in
      service.stop(afterSubmissions: 0)
      let interrupted = try await reply("later", server)
      #expect(interrupted.status == 503)
      service.stop(afterSubmissions: nil)
      for _ in 0..<2 { #expect(try await reply("later", server).status == 200) }
      #expect(try await types().dropFirst(before.count) == ["reply.unmatched"])
    }
  }

  @Test func `D15: a requested notification that has left the facts can be snoozed`() async throws {
    try await remind(
      "notification.requested",
      ["category": "ASK", "title": "Call back", "body": "Please.", "channels": ["sms"]])
    let before = try await types()
    try await serving { server in
      try await reply("later", server)
      #expect(
        try await types().dropFirst(before.count) == [
          "reply.received", "pending.snoozed", "notification.opened",
        ])
      let count = service.delivered.count
      try service.run(to: (service.now + .minutes(31)).description)
      #expect(service.delivered.dropFirst(count).map(\.title) == ["Call back"])
    }
  }

  @Test func `D15: a reply whose snooze is refused is unmatched and not received`() async throws {
    try await remind("visit.booked", ["visit": "v1", "at": "2026-03-02T12:20:00Z"])
    try await serving { server in
      try await reply("later", server)
      let types = try await types()
      #expect(types.count { $0 == "reply.unmatched" } == 1)
      #expect(!types.contains("reply.received") && !types.contains("notification.opened"))
    }
  }

  @Test func `D14: a number without the plus sign finds its recipient`() async throws {
    try await serving { server in
      try await reply("STOP", from: "3221234567", server)
      #expect(try await effects() == Self.commandTypes)
    }
  }

  @Test func `D15: an expired message cannot be answered`() async throws {
    try await remind("dose.due", dose)
    try service.run(to: (service.now + .hours(3)).description)
    try await serving { server in
      try await reply("taken", server)
      #expect(try await effects() == ["reply.unmatched"])
    }
  }

  @Test func `D15: an unmatched reply is recorded without its text`() async throws {
    try await remind("dose.due", dose)
    try await serving { server in
      let reply = try await reply("thank you, dear", server)
      #expect(reply.status == 200)
      let events = try await server.get("/v1/recipients/amina/events").text
      #expect(events.contains("reply.unmatched") && !events.contains("dear"))
      #expect(
        try await counts(server) == [#"chimed_replies_total{sink="texts",outcome="unmatched"} 1"#])
    }
  }

  @Test func `D14: STOP and START switch the messages of everyone with the number`() async throws {
    try await service.ingest("recipient.updated", ["phone": "+32 (2) 123-4567"], of: "bilal")
    try await service.ingest("recipient.updated", ["phone": "+32 2 123 45 68"], of: "chaima")
    try await serving { server in
      func switches() async throws -> [JSONValue?] {
        var found: [JSONValue?] = []
        for name in ["amina", "bilal", "chaima"] {
          let document = try await server.get("/v1/recipients/\(name)/preferences").json
          found.append(document["channels"]?["sms"])
        }
        return found
      }
      try await reply("Stop.", id: "m1", server)
      #expect(try await switches() == [false, false, true])
      try await remind("dose.due", dose)
      #expect(!service.delivered.contains { $0.recipient == "amina" })
      try await reply("START", id: "m2", server)
      #expect(try await switches() == [true, true, true])
      // A repeated request changes nothing, although the switch was changed since.
      try await reply("Stop.", id: "m1", server)
      #expect(try await switches() == [true, true, true])
    }
  }

  @Test func `D14: after STOP no category is sent by SMS, whatever passes switches, until START`()
    async throws
  {
    func sent(after text: String, id: String, _ server: TestServer) async throws -> [String] {
      try await reply(text, id: id, server)
      let count = service.delivered.count
      try await remind("code.due")
      return service.delivered.dropFirst(count).map { "\($0.reminder) \($0.channel.name)" }
        .sorted()
    }
    func permission(_ server: TestServer) async throws -> JSONValue? {
      try await server.get("/v1/recipients/amina").json["permissions"]?["sms"]
    }
    try await serving { server in
      #expect(try await sent(after: "STOP", id: "m1", server) == ["code email"])
      #expect(try await permission(server) == "denied")
      // An app that reports the number or the switch again does not end a STOP.
      try await service.ingest("recipient.updated", ["phone": .string(Self.number)], of: "amina")
      try await service.ingest("preferences.updated", ["channels": ["sms": true]], of: "amina")
      #expect(try await sent(after: "thanks", id: "m2", server) == ["code email"])
      #expect(try await sent(after: "START", id: "m3", server) == ["code sms", "pin sms"])
      #expect(try await permission(server) == "granted")
    }
  }

  @Test func `D14: a notification that STOP drops names the missing permission`() async throws {
    try await serving { server in
      try await reply("STOP", server)
      try await remind("code.due")
      let path = "/v1/recipients/amina/notifications?part=all&outcome=dropped"
      let dropped = try await server.get(path).json["notifications"]?.arrayValue ?? []
      #expect(dropped.map { $0["reminder"] } == ["pin"])
      let id = try #require(dropped.first?["id"]?.stringValue)
      let past = try await server.get("/v1/recipients/amina/explain?notification=\(id)")
      let explanation = try past.json["explanations"]?.arrayValue?.first
      #expect(explanation?["reasons"] == ["address"], "\(past.text)")
      #expect(past.text.contains(#""kind":"unreachable""#), "\(past.text)")
    }
  }

  @Test func `D14: a repeated STOP reaches everyone whom the first one missed`() async throws {
    try await serving { server in
      try await reply("STOP", id: "m1", server)
      try await service.ingest(
        "recipient.updated", ["phone": .string(Self.number)], of: "bilal")
      try await reply("STOP", id: "m1", server)
      #expect(try await effects(of: "amina") == Self.commandTypes)
      #expect(try await effects(of: "bilal") == Self.commandTypes)
    }
  }

  @Test func `D14: START ends the suppression of the number`() async throws {
    try await remind("dose.due", dose)
    let id = try #require(service.delivered.last).identifier
    try await service.ingest(
      "delivery.reported",
      ["notification": .string(id), "channel": "sms", "state": "complained"], of: "amina")
    try await serving { server in
      let before = try await server.get("/v1/recipients/amina").json["suppressed"]?.arrayValue
      #expect(before?.count == 1)
      try service.run(to: (service.now + .minutes(1)).description)
      try await reply("START", server)
      let after = try await server.get("/v1/recipients/amina").json["suppressed"]?.arrayValue
      #expect(after == [])
    }
  }

  @Test func `D14: HELP is answered by the configured text`() async throws {
    try await serving { server in
      let help = try await reply("help?", server)
      #expect(help.text == "Call us.")
      #expect(try await reply("anything", server).text == "")
      #expect(try await effects() == ["reply.unmatched"])
    }
  }

  @Test(arguments: ["+3221234568", "12345", "", "Bank"])
  func `D14: a reply from an unknown number is counted only`(number: String) async throws {
    try await serving { server in
      let reply = try await reply("STOP", from: number, server)
      #expect(reply.status == 200)
      #expect(try await effects() == [])
      #expect(
        try await counts(server) == [#"chimed_replies_total{sink="texts",outcome="unknown"} 1"#])
    }
  }

  @Test func `D14: the earlier number of a person finds no recipient`() async throws {
    try await service.ingest("recipient.updated", ["phone": "+49 30 123456"], of: "amina")
    try await serving { server in
      try await reply("STOP", server)
      #expect(try await effects() == [])
      try await reply("STOP", from: "+4930123456", server)
      #expect(try await effects() == Self.commandTypes)
    }
  }

  @Test func `D14: forged and malformed requests are refused and change nothing`() async throws {
    try await serving { server in
      let forged = try await server.post("wrong|m1|+3221234567|STOP", to: "/v1/replies/texts")
      #expect(forged.status == 401)
      #expect(try await server.post("secret", to: "/v1/replies/texts").status == 400)
      #expect(try await server.post("secret|a|b|c", to: "/v1/replies/none").status == 404)
      #expect(try await server.get("/v1/replies/texts").status == 405)
      #expect(try await effects() == [])
      #expect(
        try await counts(server) == [#"chimed_replies_total{sink="texts",outcome="refused"} 2"#])
    }
  }
}

/// Reads a body such as "secret|ID|NUMBER|TEXT".
private struct PlainReplyReader: ReplyReader {
  func reply(in request: ServiceRequest) throws(ServiceRequestError) -> ServiceReply {
    let parts = String(decoding: request.body, as: UTF8.self)
      .split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == "secret" else { throw .forged("no secret") }
    guard parts.count == 4 else { throw .malformed("four parts are needed") }
    return ServiceReply(sender: parts[2], text: parts[3], id: parts[1])
  }

  func answer(_ text: String?) -> ReplyAnswer {
    ReplyAnswer(contentType: "text/xml", body: text ?? "")
  }
}
