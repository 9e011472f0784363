import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import API
@testable import Engine

/// The links of actions in notifications (rule H28), through the interface and the engine.
@Suite(.timeLimit(.minutes(1))) struct ActionRouteTests {
  private static let catalog = """
    catalog: care
    events:
      dose.due: {dose: identifier, name: text}
      dose.taken: {dose: identifier, name: text?, from: recipient}
      dose.undone: {dose: identifier, from: recipient}
    categories:
      DOSE: {title: Doses, channels: {push: true, inapp: true}}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        on: {event: dose.due, delay: 1s}
        cancel: dose.undone
        again: {every: 45m, times: 2, unless: dose.taken}
        expires: 2h
        actions:
          taken:
            title: {en: Taken, de: Genommen, ar: أخذته}
            event: dose.taken
            undo: dose.undone
          later: {snooze: 30m}
          stop: {title: "Stop <all>", set: {reminders.doses.enabled: false}}
        messages: [{title: "{{name}}", body: Take it.}]
    """

  private static let publicURL = PublicURL("https://notify.example.org")
  private let service: LiveService
  private let access: APIAccess

  init() throws {
    let key = CurrentLinkKey()
    key.value = LinkKey((0..<32).map { UInt8($0) })
    access = APIAccess(linkKey: key)
    let links = ActionLinks(at: try #require(Self.publicURL), key: key)
    service = try LiveService(
      text: Self.catalog, at: "2026-03-02T12:00:00Z", reply: { $0.map { _ in .delivered } },
      links: links)
  }

  private func serving(
    limits: APILimits = APILimits(), _ body: (TestServer) async throws -> Void
  ) async throws {
    let start = ContinuousClock.now
    try await TestServer.serving(
      service, access: access, limits: limits, now: { [service] in service.now }, clock: { start },
      body)
  }

  /// Reports a dose, and returns the paths of its notification's actions by their names.
  private func links(
    locale: String = "en", of name: String = "amina", channel: Channel = .push
  ) async throws -> [String: String] {
    try await service.ingest("recipient.updated", ["locale": .string(locale)], of: name)
    try await service.ingest("dose.due", ["dose": "d1", "name": "Iron"], of: name)
    try service.run(to: (service.now + .seconds(2)).description)
    let delivery = try #require(
      service.delivered.last { $0.recipient == name && $0.channel == channel })
    return try Self.paths(delivery.message.details)
  }

  private static func paths(_ details: String) throws -> [String: String] {
    let details = try JSONParser.parse(details)
    var paths: [String: String] = [:]
    for action in details["actions"]?.arrayValue ?? [] {
      paths[action["id"]?.stringValue ?? ""] = path(action["url"])
    }
    paths[""] = path(details["answerUrl"])
    return paths
  }

  private static func path(_ url: JSONValue?) -> String? {
    url?.stringValue.map { String($0.trimmingPrefix("https://notify.example.org")) }
  }

  /// The path to which the last button of a page posts.
  private static func target(of page: Reply) -> String? {
    page.text.ranges(of: "action=\"").last.map { range in
      "/a/" + page.text[range.upperBound...].prefix { $0 != "\"" }
    }
  }

  private func types(of name: String = "amina") async throws -> [String] {
    try await stored(name).map(\.type).filter { $0 != "recipient.updated" }
  }

  /// The stored events of a recipient, in the order of arrival.
  private func stored(_ name: String) async throws -> [PastEvent] {
    let page = try await service.answer(ExportQuery(of: name, .events(from: nil)))
    return Array((page?.events ?? []).reversed())
  }

  private func status(
    _ method: String, _ path: String?, of server: TestServer
  ) async throws -> Int {
    try await server.perform(method, #require(path)).status
  }

  // MARK: - Answers

  @Test func `H28: opening a link changes nothing`() async throws {
    let links = try await links()
    try await serving { server in
      for name in ["taken", "later", "stop", ""] {
        let page = try await server.get(#require(links[name]))
        #expect(page.status == 200 && page.text.contains("<form method=\"post\""))
        #expect(!page.text.contains("amina") && !page.text.contains("Iron"))
        #expect(page["cache-control"] == "no-store" && page["referrer-policy"] == "no-referrer")
      }
      let stop = try await server.get(#require(links["stop"]))
      #expect(stop.text.contains("Stop &lt;all&gt;"))
    }
    #expect(try await types() == ["dose.due"])
  }

  @Test func `H28: an answer is reported once and can be undone`() async throws {
    let links = try await links()
    try await serving { server in
      let path = try #require(links["taken"])
      let page = try await server.perform("POST", path)
      #expect(page.status == 200 && page.text.contains("Your answer “Taken” is recorded."))
      #expect(try await server.perform("POST", path).status == 409)
      #expect(try await types() == ["dose.due", "dose.taken", "notification.opened"])
      let undo = try #require(Self.target(of: page))
      #expect(try await server.get(undo).text.contains("This takes your answer back."))
      #expect(try await server.perform("POST", undo).status == 200)
      #expect(try await server.perform("POST", undo).status == 409)
      #expect(try await server.perform("POST", path).status == 410)
    }
    #expect(try await types() == ["dose.due", "dose.taken", "notification.opened", "dose.undone"])
  }

  @Test func `H28: an answer on another channel is the same answer`() async throws {
    let push = try await links()
    let page = try await service.answer(InboxQuery(of: "amina", limit: 1))
    let inbox = try Self.paths(#require(page?.items.first).message.details)
    try await serving { server in
      let first = try await status("POST", push["taken"], of: server)
      let second = try await status("POST", inbox["taken"], of: server)
      #expect(first == 200 && second == 409)
    }
    #expect(try await types() == ["dose.due", "dose.taken", "notification.opened"])
  }

  @Test func `H28: a refused answer does not count as an opening`() async throws {
    let links = try await links()
    let delivery = try #require(service.delivered.last { $0.channel == .push })
    let found = try #require(
      try await service.answer(AnsweredNotificationQuery(delivery.identifier)))
    let answer = try ActionAnswer(
      "taken", to: found.notification, of: found.recipient, planner: service.planner,
      now: service.now)
    // The answer is refused because another event has its id.
    let other = try EventReader(planner: service.planner).event(
      [
        "specversion": "1.0", "id": .string(answer.eventIdentifier),
        "source": .string(Event.ownSource), "type": "dose.due", "subject": "amina",
        "data": ["dose": "d2", "name": "Zinc"],
      ], now: service.now)
    _ = try await service.submit([other])
    try await serving { server in
      let performed = try await status("POST", links["taken"], of: server)
      #expect(performed == 409)
    }
    #expect(try await types() == ["dose.due", "dose.due"])
  }

  @Test func `H28: an answer has the effect of its event`() async throws {
    let links = try await links()
    try await serving { server in
      let performed = try await status("POST", links["taken"], of: server)
      #expect(performed == 200)
    }
    try service.run(to: "2026-03-02T16:00:00Z")
    #expect(service.delivered.filter { $0.channel == .push }.count == 1)
  }

  @Test func `H28: a snooze sends the notification again, and an undo ends that`() async throws {
    let links = try await links()
    try await serving { server in
      let path = try #require(links["later"])
      let page = try await server.perform("POST", path)
      #expect(page.text.contains("The reminder comes again: 2026-03-02 12:30."))
      #expect(try await server.perform("POST", path).status == 409)
    }
    try service.run(to: "2026-03-02T12:31:00Z")
    #expect(service.delivered.filter { $0.channel == .push }.count == 2)
  }

  @Test func `H28: an undone snooze sends nothing again`() async throws {
    let links = try await links()
    try await serving { server in
      let page = try await server.perform("POST", #require(links["later"]))
      let undo = try #require(Self.target(of: page))
      #expect(try await server.perform("POST", undo).status == 200)
    }
    try service.run(to: "2026-03-02T12:31:00Z")
    #expect(service.delivered.filter { $0.channel == .push }.count == 1)
    #expect(
      try await types()
        == ["dose.due", "pending.snoozed", "notification.opened", "pending.cancelled"])
  }

  @Test func `H28: a change of preferences can be undone`() async throws {
    let links = try await links()
    try await serving { server in
      func isOn() async throws -> JSONValue? {
        try await server.get("/v1/recipients/amina/preferences")
          .json["reminders"]?["doses"]?["enabled"]
      }
      let page = try await server.perform("POST", #require(links["stop"]))
      #expect(page.status == 200 && page.text.contains("Stop &lt;all&gt;"))
      #expect(try await isOn() == false)
      #expect(try await status("POST", Self.target(of: page), of: server) == 200)
      #expect(try await isOn() == true)
    }
  }

  @Test(arguments: [("de-AT", "Genommen", "ltr"), ("ar", "أخذته", "rtl"), ("fr", "Taken", "ltr")])
  func `H28: the page is in the recipient's language`(
    locale: String, title: String, direction: String
  ) async throws {
    let links = try await links(locale: locale)
    try await serving { server in
      let page = try await server.get(#require(links["taken"]))
      #expect(page.text.contains("<button>\(title)</button>"))
      #expect(page.text.contains("dir=\"\(direction)\""))
      let choice = try await server.get(#require(links[""]))
      #expect(choice.text.contains("<button>\(title)</button>"))
      #expect(try await status("POST", links[""], of: server) == 409)
    }
  }

  @Test func `H28: a simulation with the reported events has the same outcome`() async throws {
    let links = try await links()
    try await serving { server in
      _ = try await server.perform("POST", #require(links["later"]))
    }
    try service.run(to: "2026-03-02T12:35:00Z")
    let again = try Self.paths(
      #require(service.delivered.last { $0.channel == .push }).message.details)
    try await serving { server in
      let performed = try await status("POST", again["taken"], of: server)
      #expect(performed == 200)
    }
    try service.run(to: "2026-03-02T18:00:00Z")
    let reader = EventReader(planner: service.planner)
    let events = try await stored("amina").map { past in
      try reader.event(
        [
          "specversion": "1.0", "id": .string(past.identifier), "source": .string(past.source),
          "type": .string(past.type), "subject": "amina", "time": .string(past.time.description),
          "data": past.data.isEmpty ? [:] : JSONParser.parse(past.data),
        ], now: service.now)
    }
    #expect(
      events.map(\.type).suffix(4) == [
        "pending.snoozed", "notification.opened", "dose.taken", "notification.opened",
      ])
    var simulation = Simulation(planner: service.planner, events: events, until: service.now)
    var lines: [String] = []
    try simulation.run { entries in
      lines += entries.filter { $0.outcome == .delivered && $0.channel == .push }
        .map { "\($0.at)" }
    }
    #expect(lines == service.delivered.filter { $0.channel == .push }.map { "\($0.at)" })
    #expect(lines.count == 2)
  }

  // MARK: - Refusals

  @Test func `H28: changed, foreign and expired links are refused, counted and change nothing`()
    async throws
  {
    let links = try await links()
    let good = try #require(links["taken"])
    let other = LinkKey(Array(repeating: 7, count: 32))
    let unsubscribing = access.linkKey?.value?.token(recipient: "amina", category: "DOSE") ?? ""
    let foreign = other.token(of: LinkKey.Action(notification: "x-1", name: "taken")) ?? ""
    try await serving { server in
      let wrong = [
        String(good.dropLast()), good + "A", "/a/x", "/a/" + foreign, "/a/" + unsubscribing,
      ]
      for path in wrong {
        #expect(try await server.perform("GET", path).status == 404)
        #expect(try await server.perform("POST", path).status == 404)
      }
      try service.run(to: "2026-03-02T14:30:00Z")
      let reply = try await server.perform("POST", good)
      #expect(reply.status == 410 && reply.contentType == "application/problem+json")
      let page = try await server.perform("POST", good, headers: ["Accept": "text/html"])
      #expect(page.status == 410 && page.contentType == "text/html; charset=utf-8")
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains(#"chimed_refused_links_total{reason="unknown-link"} 10"#))
      #expect(metrics.contains(#"chimed_refused_links_total{reason="expired-link"} 2"#))
    }
    #expect(try await types() == ["dose.due"])
  }

  private static func accepting(_ languages: String) -> [String: String] {
    ["Accept": "text/html", "Accept-Language": languages]
  }

  @Test(arguments: [
    ("de", "en", "<html lang=\"de\" dir=\"ltr\">", "Schon beantwortet"),
    ("ar", "de", "<html lang=\"ar\" dir=\"rtl\">", "سبقت الإجابة"),
    ("fr", "de", "<html lang=\"en\" dir=\"ltr\">", "Already answered"),
  ])
  func `D19: the page of a used link is in the person's language, not in the browser's`(
    locale: String, accepted: String, head: String, text: String
  ) async throws {
    let links = try await links(locale: locale)
    try await serving { server in
      let path = try #require(links["taken"])
      #expect(try await server.perform("POST", path).status == 200)
      let page = try await server.perform("POST", path, headers: Self.accepting(accepted))
      #expect(page.status == 409 && page.contentType == "text/html; charset=utf-8")
      #expect(page.text.contains(head) && page.text.contains("<h1>\(text)</h1>"), "\(page.text)")
    }
  }

  @Test(arguments: [
    ("de-AT, en;q=0.8", "de", "Der Link ist ungültig"), ("fr, ar;q=0.5", "ar", "الرابط غير صالح"),
    ("en;q=0.2, de; q=0.9", "de", "Der Link ist ungültig"),
    ("de;q=0, fr", "en", "The link is not valid"), ("", "en", "The link is not valid"),
    ("de;q=x, *", "en", "The link is not valid"),
  ])
  func `D19: the page of a forged link is in a language that the browser accepts`(
    accepted: String, language: String, heading: String
  ) async throws {
    try await serving { server in
      let page = try await server.perform("GET", "/a/x", headers: Self.accepting(accepted))
      #expect(page.status == 404)
      #expect(page.text.contains("<html lang=\"\(language)\" "), "\(page.text)")
      #expect(page.text.contains("<h1>\(heading)</h1>"))
    }
  }

  @Test func `D19: a person without a language has the pages of the browser's language`()
    async throws
  {
    let links = try await links()
    try await service.ingest("recipient.updated", ["locale": .null], of: "amina")
    try await serving { server in
      let page = try await server.perform(
        "GET", #require(links["taken"]), headers: Self.accepting("de"))
      #expect(page.text.contains("lang=\"de\"") && page.text.contains("<button>Genommen</button>"))
    }
  }

  @Test func `D19: every problem of a link has a page in each language`() {
    let kinds: [ProblemKind] = [
      .unknownLink, .expiredLink, .conflictingLink, .repeatedLink, .tooManyRequests, .unavailable,
      .bodyTooLarge,
    ]
    for language in ["en", "de", "ar"] {
      let pages = kinds.map { ActionWords(language).page(of: Problem($0, "for programs")) }
      #expect(Set(pages.map(\.heading)).count == kinds.count)
      #expect(pages.allSatisfy { $0.language == language && $0.text != "for programs" })
    }
  }

  @Test func `H28: the links of an erased recipient are over`() async throws {
    let links = try await links()
    try await service.ingest("recipient.deleted", of: "amina")
    try await serving { server in
      let shown = try await status("GET", links["taken"], of: server)
      let performed = try await status("POST", links["taken"], of: server)
      #expect(shown == 410 && performed == 410)
    }
  }

  @Test func `H28: an undo ends after a minute`() async throws {
    let links = try await links()
    try await serving { server in
      let page = try await server.perform("POST", #require(links["taken"]))
      try service.run(to: (service.now + .seconds(61)).description)
      let undo = try #require(Self.target(of: page))
      #expect(try await server.perform("GET", undo).status == 410)
      #expect(try await server.perform("POST", undo).status == 410)
    }
    #expect(try await types() == ["dose.due", "dose.taken", "notification.opened"])
  }

  @Test func `H28: the rate is limited by notification, without forged links`() async throws {
    var limits = APILimits()
    (limits.rate, limits.burst) = (1, 2)
    let links = try await links()
    try await serving(limits: limits) { server in
      for _ in 0..<5 { #expect(try await server.perform("POST", "/a/x").status == 404) }
      let path = try #require(links["taken"])
      for status in [200, 409, 429] {
        #expect(try await server.perform("POST", path).status == status)
      }
    }
  }

  @Test func `H28: a link may be opened from any page`() async throws {
    let links = try await links()
    let fields = ["Sec-Fetch-Site": "cross-site", "Origin": "https://mail.example"]
    try await serving { server in
      let path = try #require(links["taken"])
      #expect(try await server.call("GET", path, headers: fields).status == 200)
      #expect(try await server.call("POST", path, headers: fields).status == 200)
    }
  }
}
