import Access
import Engine
import HTTPTypes
import JSON
import Reminders
import Synchronization
import Testing

@testable import API

/// Rules H15 and H16: each caller has separate limits, so that no caller makes others wait or fail.
@Suite(.timeLimit(.minutes(1))) struct ShareTests {
  /// A clock that only the tests advance.
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    @Sendable func read() -> ContinuousClock.Instant { time.withLock(\.self) }
    func advance(by span: Duration) { time.withLock { $0 += span } }
  }

  private let tokens = FakeTokens()
  private let clock = Clock()

  private func serving(
    _ service: FakeService, events: Int = 600,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    var limits = APILimits()
    (limits.failureRate, limits.failureBurst) = (1, 3)
    limits.recipientEvents = events
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: limits, clock: clock.read, body)
  }

  // MARK: - Tickets

  private func open(_ server: TestServer, with ticket: String) async throws -> Int {
    try await server.call(
      "POST", "/v1/console/session", headers: ["content-type": "application/json"],
      body: #"{"ticket":"\#(ticket)"}"#, isOverTCP: true
    ).status
  }

  private func ticket(_ server: TestServer) async throws -> String {
    let reply = try await server.post(#"{"scope":"admin"}"#, to: "/v1/console/tickets")
    let path = try #require(try reply.json["path"]?.stringValue)
    return String(path.trimmingPrefix("/console/#t=").prefix { $0 != "/" })
  }

  @Test func `H15: invalid tickets do not prevent a valid sign-in`() async throws {
    try await serving(FakeService()) { server in
      let valid = [try await ticket(server), try await ticket(server)]
      let junk = FakeTokens().make(.administrator)
      var statuses: [Int] = []
      for _ in 0..<10 { statuses.append(try await open(server, with: junk)) }
      #expect(statuses == [404, 404, 404] + Array(repeating: 429, count: 7))
      for ticket in valid { #expect(try await open(server, with: ticket) == 201) }
    }
  }

  @Test func `H6: a long body is refused where callers need no token`() async throws {
    try await serving(FakeService()) { server in
      let status = try await open(server, with: String(repeating: "x", count: 5_000))
      #expect(status == 413)
    }
  }

  private func exportPath(_ server: TestServer) async throws -> String {
    let reply = try await server.call("POST", "/v1/recipients/u1/export-tickets")
    return try #require(try reply.json["path"]?.stringValue)
  }

  private func service() throws -> FakeService {
    let service = try FakeService()
    service.set { $0.recipients["u1"] = .init(name: "u1", now: Fixtures.now) }
    return service
  }

  @Test func `H15: invalid tickets do not prevent a valid download`() async throws {
    try await serving(service()) { server in
      let paths = [try await exportPath(server), try await exportPath(server)]
      for _ in 0..<10 {
        let status = try await server.call("GET", "/v1/exports/x", isOverTCP: true).status
        #expect(status == 404 || status == 429)
      }
      for path in paths {
        #expect(try await server.call("GET", path, isOverTCP: true).status == 200)
      }
    }
  }

  @Test func `H5: HEAD does not use up a ticket`() async throws {
    try await serving(service()) { server in
      let path = try await exportPath(server)
      for _ in 0..<2 {
        try await RawConnection.opened(to: server) { connection in
          try await connection.send("HEAD \(path) HTTP/1.1\r\nConnection: close\r\n\r\n")
          let head = try await connection.receiveAll()
          #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("attachment"))
          #expect(head.hasSuffix("\r\n\r\n"))
        }
      }
      #expect(try await server.call("GET", path, isOverTCP: true).status == 200)
      #expect(try await server.call("GET", path, isOverTCP: true).status == 404)
    }
  }

  @Test func `H15: tickets of one kind do not use up those of another`() async throws {
    try await serving(service()) { server in
      for _ in 0..<16 { _ = try await ticket(server) }
      let path = "/v1/console/tickets"
      #expect(try await server.post(#"{"scope":"admin"}"#, to: path).status == 429)
      for _ in 0..<16 { _ = try await exportPath(server) }
      let refused = try await server.call("POST", "/v1/recipients/u1/export-tickets")
      #expect(refused.status == 429)
    }
  }

  // MARK: - Events

  private func events(_ numbers: Range<Int>, of recipient: String = "u1") -> String {
    let eventTexts = numbers.map {
      Fixtures.event(
        "e\($0)", type: "preferences.updated", of: recipient, members: #""data":{"master":true}"#)
    }
    return "[\(eventTexts.joined(separator: ","))]"
  }

  private func send(
    _ body: String, as type: String = "application/json", bearing token: String,
    _ server: TestServer
  ) async throws -> Reply {
    try await server.call(
      "POST", "/v1/events",
      headers: ["authorization": "Bearer \(token)", "content-type": type], body: body)
  }

  @Test func `H15: a recipient's tokens share one limit on events`()
    async throws
  {
    let service = try service()
    let (userToken, secondUserToken) = (
      tokens.make(.recipient("u1")), tokens.make(.recipient("u1"))
    )
    let other = tokens.make(.recipient("u2"))
    let app = tokens.make(.administrator)
    try await serving(service, events: 5) { server in
      #expect(try await send(events(0..<6), bearing: userToken, server).status == 429)
      #expect(try await send(events(0..<4), bearing: userToken, server).status == 200)
      let refused = try await send(events(4..<6), bearing: secondUserToken, server)
      #expect(refused.status == 429 && refused["retry-after"] == "60")
      #expect(service.events.count == 4)
      #expect(try await send(events(4..<5), bearing: secondUserToken, server).status == 200)
      #expect(try await send(events(0..<5, of: "u2"), bearing: other, server).status == 200)
      #expect(try await send(events(10..<30), bearing: app, server).status == 200)
      clock.advance(by: .seconds(60))
      let line = Fixtures.event(
        "l1", type: "preferences.updated", of: "u1", members: #""data":{"master":true}"#)
      let next = line.replacing("l1", with: "l2")
      let lines = try await send(
        line + "\n", as: "application/x-ndjson", bearing: userToken, server
      ).lines
      #expect(lines.map { $0["status"] } == ["accepted"])
      let late = try await send(next + "\n", as: "application/x-ndjson", bearing: userToken, server)
      #expect(late.text.contains("too-many-requests"), "\(late.text)")
    }
  }

  @Test func `H15: other changes count as events, reads and dry runs do not`() async throws {
    let userToken = tokens.make(.recipient("u1"))
    let path = "/v1/recipients/u1/preferences"
    try await serving(service(), events: 2) { server in
      func patch(_ query: String, _ isOn: Bool) async throws -> Int {
        try await server.call(
          "PATCH", path + query, headers: ["authorization": "Bearer \(userToken)"],
          body: #"{"master":\#(isOn)}"#
        ).status
      }
      for _ in 0..<5 { #expect(try await patch("?dryRun=true", false) == 200) }
      for _ in 0..<5 { #expect(try await server.get(path, bearing: userToken).status == 200) }
      let statuses = [try await patch("", false), try await patch("", true)]
      #expect(statuses == [200, 200])
      #expect(try await patch("", false) == 429)
      #expect(try await server.get(path, bearing: userToken).status == 200)
    }
  }

  private static let full = ServiceUnavailable(.storageFull, "the disk is full")

  @Test(arguments: ["application/json", "application/x-ndjson"])
  func `H15: events that the service cannot accept do not use up the limit`(
    type: String
  ) async throws {
    let service = try service()
    let userToken = tokens.make(.recipient("u1"))
    try await serving(service, events: 5) { server in
      func outcome(_ numbers: Range<Int>) async throws -> String {
        let isStream = type == "application/x-ndjson"
        let list = events(numbers)
        let lines = String(list.dropFirst().dropLast()).replacing("},{", with: "}\n{")
        let body = isStream ? lines : list
        let text = try await send(body, as: type, bearing: userToken, server).text
        let problem = text.split(separator: "urn:chimed:problem:").dropFirst().first
        return problem.map { String($0.prefix { $0 != "\"" }) } ?? "accepted"
      }
      var outcomes: [String] = []
      service.set { $0.groupsLeft = 0 }
      for _ in 0..<3 { outcomes.append(try await outcome(0..<5)) }
      service.set { ($0.groupsLeft, $0.foreign) = (.max, ["u1"]) }
      for _ in 0..<3 { outcomes.append(try await outcome(0..<5)) }
      service.set { $0.foreign = [] }
      for numbers in [5..<10, 10..<11] { outcomes.append(try await outcome(numbers)) }
      let faults = ["storage-full", "unavailable"].flatMap { Array(repeating: $0, count: 3) }
      #expect(outcomes == faults + ["accepted", "too-many-requests"])
    }
  }

  @Test(arguments: [
    ("PATCH", "/v1/recipients/u1/preferences", #"{"master":true}"#),
    ("PUT", "/customers/u1/notification-preferences", "{}"),
  ])
  func `H15: changes that the service cannot make do not use up the limit`(
    method: String, path: String, body: String
  ) async throws {
    let service = try FakeService(Fixtures.urbannest)
    let headers = ["authorization": "Bearer \(tokens.make(.recipient("u1")))"]
    try await serving(service, events: 2) { server in
      func write() async throws -> Int {
        try await server.call(method, path, headers: headers, body: body).status
      }
      var statuses: [Int] = []
      service.set { $0.unavailability = Self.full }
      for _ in 0..<3 { statuses.append(try await write()) }
      service.set { $0.unavailability = nil }
      for _ in 0..<3 { statuses.append(try await write()) }
      #expect(statuses == [507, 507, 507, 200, 200, 429])
    }
  }

  @Test func `H15: signing out is possible at the limit of changes`() async throws {
    let userToken = tokens.make(.recipient("u1"))
    let headers = ["authorization": "Bearer \(userToken)"]
    try await serving(service(), events: 1) { server in
      let path = "/v1/recipients/u1/preferences"
      for status in [200, 429] {
        let reply = try await server.call(
          "PATCH", path, headers: headers, body: #"{"master":true}"#)
        #expect(reply.status == status)
      }
      let signedOut = try await server.call("DELETE", "/v1/console/session", headers: headers)
      #expect(signedOut.status == 204)
      #expect(try await server.get(path, bearing: userToken).status == 401)
    }
  }

  @Test func `H6: a stream beyond the limit is counted as refused, like a batch`() async throws {
    let userToken = tokens.make(.recipient("u1"))
    try await serving(service(), events: 1) { server in
      for (type, count) in [("application/json", 1.0), ("application/x-ndjson", 2)] {
        _ = try await send(
          type == "application/json" ? events(0..<2) : "{}\n{}\n", as: type, bearing: userToken,
          server)
        let metrics = try Exposition(try await server.get("/metrics").text)
        let labels = ["reason": "too-many-requests", "app": "other"]
        #expect(metrics["chimed_refused_events_total", labels] == count)
      }
    }
  }

  // MARK: - Heavy work

  @Test func `H16: a caller has at most four heavy jobs at once, whatever others do`()
    throws
  {
    let shares = JobLimiter()
    for _ in 0..<4 { try shares.enter("a") }
    let problem = #expect(throws: Problem.self) { try shares.enter("a") }
    #expect(problem?.kind == .tooManyRequests && problem?.headers[.retryAfter] == "5")
    try shares.enter("b")
    shares.leave("a")
    try shares.enter("a")
  }

  @Test func `H33: one request with a link to a calendar is in progress at a time`() throws {
    let links = JobLimiter.ofCalendarLinks()
    try links.enter("calendar amina 17")
    let problem = #expect(throws: Problem.self) { try links.enter("calendar amina 17") }
    #expect(problem?.kind == .tooManyRequests && problem?.headers[.retryAfter] == "5")
    #expect(
      problem?.detail == "1 request with this link to a calendar is in progress; this one was not "
        + "started; wait for a response")
    try links.enter("calendar badr 18")
    links.leave("calendar amina 17")
    try links.enter("calendar amina 17")
  }
}
