import Access
import JSON
import Reminders
import Synchronization
import Testing

@testable import API

/// Links in e-mails that switch off a category's e-mails (RFC 8058).
@Suite(.timeLimit(.minutes(1))) struct UnsubscribeTests {
  private static let key = LinkKey((0..<32).map { UInt8($0) })
  private static let oneClick = "List-Unsubscribe=One-Click"

  private static let catalog = """
    catalog: test
    categories:
      NEWS: {title: "News <& more>", channels: {push: true, email: true}}
      CODES: {title: Codes, locked: true, channels: {email: true}}
      ALARM: {title: Alarms, urgency: mandatory, channels: {email: true}}
    groups:
      news: {enabled: true}
    reminders:
      news:
        category: NEWS
        group: news
        every: {day: {at: "21:00"}}
        expires: 12h
        messages:
          - {title: News, body: There are some.}
    """

  private static let access: APIAccess = {
    let current = CurrentLinkKey()
    current.value = key
    return APIAccess(linkKey: current)
  }()

  private static func path(_ recipient: String, _ category: String) throws -> String {
    try "/unsubscribe/" + #require(key.token(recipient: recipient, category: category))
  }

  private func service() throws -> FakeService {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let service = try FakeService(.success(planner))
    service.set { $0.recipients["amina"] = Recipient(name: "amina", now: Fixtures.now) }
    return service
  }

  private func post(
    _ path: String, _ body: String = oneClick, to server: TestServer
  ) async throws -> Reply {
    try await server.post(body, as: "application/x-www-form-urlencoded", to: path)
  }

  @Test func `opening the link changes nothing`() async throws {
    let service = try service()
    try await TestServer.serving(service, access: Self.access) { server in
      let page = try await server.get(Self.path("amina", "NEWS"))
      #expect(page.status == 200 && page.contentType == "text/html; charset=utf-8")
      #expect(page.text.contains("News &lt;&amp; more&gt;") && page.text.contains("<form"))
      #expect(!page.text.contains("amina"))
      #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
      #expect(page["cache-control"] == "no-store" && page["referrer-policy"] == "no-referrer")
    }
    #expect(service.events.isEmpty)
  }

  @Test func `a POST switches off the category's e-mail once`() async throws {
    let service = try service()
    try await TestServer.serving(service, access: Self.access) { server in
      for _ in 0..<2 {
        let page = try await post(Self.path("amina", "NEWS"), to: server)
        #expect(page.status == 200 && !page.text.contains("amina"))
      }
      let preferences = try await server.get("/v1/recipients/amina/preferences")
      #expect(try preferences.json["categories"]?["NEWS"]?["email"] == false)
      #expect(try preferences.json["categories"]?["NEWS"]?["push"] == true)
    }
    #expect(service.events.map(\.type) == ["preferences.updated"])
    #expect(service.events.map(\.recipient) == ["amina"])
  }

  @Test func `P10: a POST ends the e-mail of entities, also if the category's is off`() async throws
  {
    let catalog = Self.catalog
      .replacing("catalog: test", with: "catalog: test\nevents: {course: {course: identifier}}")
      .replacing("email: true}}\n  CODES", with: "email: false}}\n  CODES")
      .replacing("group: news", with: "group: news\n    since: course")
    let planner = try Fixtures.planner(catalog: catalog)
    let service = try FakeService(.success(planner))
    service.set { $0.recipients["amina"] = Recipient(name: "amina", now: Fixtures.now) }
    try await TestServer.serving(service, access: Self.access) { server in
      let written = try await server.call(
        "PATCH", "/v1/recipients/amina/preferences",
        body: #"{"reminders": {"news": {"items": {"c": {"channels": ["email"]}}}}}"#)
      #expect(written.status == 200)
      #expect(try await post(Self.path("amina", "NEWS"), to: server).status == 200)
      let preferences = try await server.get("/v1/recipients/amina/preferences")
      #expect(
        try preferences.json["reminders"]?["news"]?["items"]?["c"]?["channels"] == [])
    }
  }

  @Test func `the multipart form of a mail reader is accepted`() async throws {
    let service = try service()
    let body =
      "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--"
    try await TestServer.serving(service, access: Self.access) { server in
      let page = try await server.post(
        body, as: "multipart/form-data; boundary=x", to: Self.path("amina", "NEWS"))
      #expect(page.status == 200)
    }
    #expect(service.events.count == 1)
  }

  @Test(arguments: ["", "x", "List-Unsubscribe=No"])
  func `a POST without the one-click form changes nothing`(body: String) async throws {
    let service = try service()
    try await TestServer.serving(service, access: Self.access) { server in
      let path = try Self.path("amina", "NEWS")
      #expect(try await post(path, body, to: server).status == 400)
    }
    #expect(service.events.isEmpty)
  }

  @Test func `H1: a link may be opened from any page`() async throws {
    let service = try service()
    let fields = ["Sec-Fetch-Site": "cross-site", "Origin": "https://mail.example"]
    try await TestServer.serving(service, access: Self.access) { server in
      let path = try Self.path("amina", "NEWS")
      #expect(try await server.call("GET", path, headers: fields).status == 200)
      let reply = try await server.call("POST", path, headers: fields, body: Self.oneClick)
      #expect(reply.status == 200)
    }
    #expect(service.events.count == 1)
  }

  @Test func `all invalid links are refused alike`() async throws {
    let service = try service()
    let valid = try Self.path("amina", "NEWS")
    let other = LinkKey(Array(repeating: 7, count: 32))
    let foreign = "/unsubscribe/" + (other.token(recipient: "amina", category: "NEWS") ?? "")
    var answers: Set<String> = []
    try await TestServer.serving(service, access: Self.access) { server in
      for path in [
        String(valid.dropLast()), valid + "A", foreign, "/unsubscribe/x", "/unsubscribe/",
      ] {
        for reply in [try await server.get(path), try await post(path, to: server)] {
          #expect(reply.status == 404)
          answers.insert(reply.text)
        }
      }
    }
    #expect(answers.count == 1 && service.events.isEmpty)
  }

  @Test func `an unknown recipient is answered like a known one`() async throws {
    let service = try service()
    try await TestServer.serving(service, access: Self.access) { server in
      let known = try await post(Self.path("amina", "NEWS"), to: server)
      let erased = try await post(Self.path("badr", "NEWS"), to: server)
      #expect(erased.status == 200 && erased.text == known.text)
    }
    #expect(service.events.map(\.recipient) == ["amina"])
  }

  @Test(arguments: ["CODES", "ALARM", "GONE"])
  func `a category that cannot be switched off stays on`(category: String) async throws {
    let service = try service()
    try await TestServer.serving(service, access: Self.access) { server in
      let path = try Self.path("amina", category)
      #expect(try await server.get(path).status == 409)
      #expect(try await post(path, to: server).status == 409)
    }
    #expect(service.events.isEmpty)
  }

  @Test func `too many requests for one recipient are refused`() async throws {
    var limits = APILimits()
    limits.rate = 1
    limits.burst = 2
    let start = ContinuousClock.now
    let clock: @Sendable () -> ContinuousClock.Instant = { start }
    try await TestServer.serving(
      try service(), access: Self.access, limits: limits, clock: clock
    ) { server in
      let path = try Self.path("amina", "NEWS")
      for status in [200, 200, 429] { #expect(try await post(path, to: server).status == status) }
      let other = try Self.path("badr", "NEWS")
      #expect(try await post(other, to: server).status == 200)
    }
  }

  @Test func `without a key there are no links`() async throws {
    try await TestServer.serving(try service()) { server in
      let path = try Self.path("amina", "NEWS")
      #expect(try await server.perform("GET", path).status == 404)
    }
  }
}
