import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// The sink that sends signed events.
@Suite struct WebhookSinkTests {
  private static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
  private static let peer = Result { try PythonPeer("http_peer.py") }

  private let peer: PythonPeer
  private let directory: TemporaryDirectory

  init() throws {
    peer = try Self.peer.get()
    directory = try TemporaryDirectory()
  }

  private func sink(
    _ url: String, deadline: TimeSpan = .seconds(20), secrets: [String] = [secret],
    http: HTTPSettings = HTTPSettings(policy: Surroundings.loopback), now: Instant? = nil
  ) throws -> any Sink {
    for (number, secret) in secrets.enumerated() { try directory.write(secret, to: "s\(number)") }
    let configuration = WebhookConfiguration(
      url: try HTTPURL(url), secrets: secrets.indices.map { "s\($0)" }, http: http)
    let surroundings = Surroundings.make(
      journal: directory.path + "/journal", credentials: directory.path, now: now)
    try configuration.check(credentials: surroundings.credentials)
    return try configuration.sink(
      SinkCommonSettings(name: "hook", deadline: deadline), in: surroundings)
  }

  private func url(_ path: String) -> String { "http://127.0.0.1:\(peer.port)/\(path)" }

  private func received(_ path: String) throws -> [JSONValue] {
    try peer.received.filter { $0["path"] == .string("/" + path) }
  }

  @Test func `a delivery is a CloudEvent`() async throws {
    let sink = try sink(url("ok?event"), now: Fixtures.noon)
    let answers = try await sink.deliver([Fixtures.delivery(7, .email, title: "Tag \"1\" – ü")])
    #expect(answers.map(\.isDelivered) == [true])
    #expect(answers.first?.response?.status == "200")
    let request = try #require(try received("ok?event").first)
    let fields = request["fields"]
    #expect(fields?["content-type"] == "application/cloudevents+json; charset=utf-8")
    #expect(fields?["webhook-id"] == "store-7-email")
    #expect(fields?["webhook-timestamp"] == "1772452800")
    #expect(fields?["webhook-signature"]?.stringValue?.hasPrefix("v1,") == true)
    let expected: JSONValue = [
      "specversion": "1.0", "id": "store-7-email", "source": "/chimed/store",
      "type": "chimed.notification", "subject": "amina", "time": "2026-03-02T12:00:00.000Z",
      "datacontenttype": "application/json",
      "data": [
        "id": "store-7", "recipient": "amina", "reminder": "note", "category": "NOTE",
        "channel": "email", "title": "Tag \"1\" – ü", "body": "A note.",
        "planned": "2026-03-02T11:59:59.000Z", "at": "2026-03-02T12:00:00.000Z",
      ],
    ]
    #expect(try JSONParser().parse(request["body"]?.stringValue ?? "") == expected)
  }

  @Test func `D16: a withdrawal is an event of its own type, without texts`() async throws {
    let sink = try sink(url("ok?withdrawn"), now: Fixtures.noon)
    var delivery = Fixtures.delivery(7, .email)
    delivery.withdraw(at: Fixtures.noon + .minutes(5))
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    let request = try #require(try received("ok?withdrawn").first)
    #expect(request["fields"]?["webhook-id"] == "store-7-email-withdrawn")
    let event = try JSONParser().parse(request["body"]?.stringValue ?? "")
    #expect(event["type"] == "chimed.notification.withdrawn")
    #expect(event["time"] == "2026-03-02T12:05:00.000Z")
    #expect(
      event["data"] == [
        "id": "store-7", "recipient": "amina", "reminder": "note", "category": "NOTE",
        "channel": "email", "at": "2026-03-02T12:05:00.000Z",
      ])
  }

  @Test func `every attempt has the same id and its own timestamp`() async throws {
    let delivery = Fixtures.delivery(9)
    for now in [Fixtures.noon, Fixtures.noon + .minutes(5)] {
      _ = try await sink(url("ok?attempts"), now: now).deliver([delivery])
    }
    let fields = try received("ok?attempts").map { $0["fields"] }
    #expect(fields.map { $0?["webhook-id"] } == ["store-9-push", "store-9-push"])
    #expect(fields.map { $0?["webhook-timestamp"] } == ["1772452800", "1772453100"])
    #expect(Set(fields.map { $0?["webhook-signature"] }).count == 2)
  }

  @Test(arguments: [
    ("ok", "delivered"), ("status/204", "delivered"), ("status/299", "delivered"),
    ("redirect", "rejected URL: 307: redirects are not followed"),
    ("status/301", "rejected URL: 301: redirects are not followed"),
    ("status/400", "rejected URL: 400 Bad Request"),
    ("status/401", "retry URL: 401 Unauthorized"),
    ("status/404", "retry URL: 404 Not Found"),
    ("status/408", "retry URL: 408 Request Timeout"),
    ("status/409", "rejected URL: 409 Conflict"),
    ("status/421", "retry URL: 421 Misdirected Request"),
    ("status/423", "retry URL: 423 Locked"),
    ("status/425", "retry URL: 425 Too Early"),
    ("status/429", "retry URL: 429 Too Many Requests"),
    ("status/500", "retry URL: 500 Internal Server Error"),
    ("status/501", "retry URL: 501 Not Implemented"), ("status/599", "retry URL: 599"),
    ("status/429/Retry-After:_30", "retry in 30000 ms URL: 429 Too Many Requests"),
    ("status/502/Retry-After:_30", "retry in 30000 ms URL: 502 Bad Gateway"),
    (
      "status/503/Retry-After:_Mon,_02_Mar_2026_12:02:00_GMT",
      "retry in 120000 ms URL: 503 Service Unavailable"
    ),
    ("status/504/Retry-After:_99999999", "retry in 86400000 ms URL: 504 Gateway Timeout"),
    ("status/403/Retry-After:_30", "retry in 30000 ms URL: 403 Forbidden"),
    ("status/408/Retry-After:_30", "retry in 30000 ms URL: 408 Request Timeout"),
    ("status/425/Retry-After:_30", "retry in 30000 ms URL: 425 Too Early"),
    ("huge", "delivered"), ("reset-in-body", "delivered"), ("continue", "delivered"),
    ("reset", "retry URL: the connection broke off before there was an answer"),
    ("garbage", "retry URL: the answer is not HTTP"),
    ("giant-head", "retry URL: the answer is not HTTP"),
  ])
  func `the status decides about the delivery`(path: String, expected: String) async throws {
    let sink = try sink(url(path), now: Fixtures.noon)
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    let word: String? =
      switch answers.first?.verdict {
      case .delivered: "delivered"
      case .rejected(let reason): "rejected \(reason)"
      case .retry(nil, let reason): "retry \(reason)"
      case .retry(let span?, let reason): "retry in \(span.milliseconds) ms \(reason)"
      case nil: nil
      }
    #expect(word?.replacing("http://127.0.0.1:\(peer.port)", with: "URL") == expected)
  }

  @Test(arguments: [
    ("stall", "no answer before the deadline"), ("late/1000", "no answer before the deadline"),
  ])
  func `a server without an answer is retried`(path: String, reason: String) async throws {
    let sink = try sink(url(path), deadline: .milliseconds(500))
    let answers = try await sink.deliver(Fixtures.deliveries(1...3))
    #expect(
      answers
        == Array(
          repeating: .retry(after: nil, reason: "http://127.0.0.1:\(peer.port): \(reason)"),
          count: 3)
    )
  }

  @Test func `an absent server is an outage that names only the host`() async throws {
    let peer = try PythonPeer("http_peer.py")
    let sink = try sink("http://127.0.0.1:\(peer.port)/ok?key=T0KEN")
    #expect(try await sink.deliver([Fixtures.delivery(1)]).first?.isDelivered == true)
    peer.stop()
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver(Fixtures.deliveries(2...300))
    }
    #expect(
      outage?.description
        == "http://127.0.0.1:\(peer.port): connecting failed: Connection refused")
  }

  @Test(arguments: [
    ("/services/T0/B0/s3cret%21key", "Cannot POST *, as * is not there"),
    ("/services/T0/B0/s3cret-key?to=all", "Cannot POST *, as *?to=all is not there"),
    ("/a", "Cannot POST *, as a is not there"),
  ])
  func `parts of a URL that may be secret are hidden`(path: String, shown: String) async throws {
    let answer = try await sink(url("nowhere" + path)).deliver([Fixtures.delivery(1)]).first
    let excerpt = try #require(answer?.response?.excerpt)
    #expect(excerpt.replacing(/\*+/, with: "*") == shown)
  }

  @Test func `an address that is not public is an outage`() async throws {
    let sink = try sink(url("ok?private"), http: HTTPSettings())
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver(Fixtures.deliveries(1...3))
    }
    #expect(outage?.description.contains("is not public") == true)
    #expect(try received("ok?private") == [])
  }

  @Test func `an endpoint that is gone is not called again`() async throws {
    let sink = try sink(url("status/410"))
    let address = "http://127.0.0.1:\(peer.port)"
    let reason =
      "410: \(address) is gone; nothing is sent to it until the sink is resumed, or chimed reloads "
      + "or restarts"
    #expect(sink.whyDisabled == nil)
    for number: Int64 in 1...3 {
      let answer = try await sink.deliver([Fixtures.delivery(number)]).first
      #expect(answer?.verdict == .rejected(reason: reason))
    }
    #expect(try received("status/410").count == 1)
    let lines = try directory.text(of: "journal").split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.contains("The sink hook is disabled: \(address) answers") == true)
    #expect(
      sink.whyDisabled
        == "410: \(address) is gone for good; remove the sink from the routes, or once the URL "
        + "works again: chimectl sinks resume hook")
  }

  @Test func `D2: a resume or a reload lifts the block of an endpoint that was gone`() async throws
  {
    let sink = try sink(url("status/410?lifted"))
    let lifts: [() throws -> Void] = [{}, { sink.enable() }, { try sink.prepareForReload() }]
    for lift in lifts {
      try lift()
      #expect(sink.whyDisabled == nil)
      _ = try await sink.deliver([Fixtures.delivery(1)])
      #expect(sink.whyDisabled != nil)
    }
    #expect(try received("status/410?lifted").count == 3)
  }

  @Test(arguments: [
    (TimeSpan.minutes(15), TimeSpan.minutes(14), true), (.minutes(15), .minutes(15), false),
    (.zero, .zero, false), (.hours(2), .minutes(119), true),
  ])
  func `D2: 404 is retried for a while, as receivers may be in deployment`(
    retry4xx: TimeSpan, age: TimeSpan, isTriedAgain: Bool
  ) async throws {
    let client = try SafeHTTPClient(
      HTTPSettings(policy: Surroundings.loopback), deadline: .seconds(20), concurrency: 4)
    let sink = WebhookSink(
      name: "hook", url: try HTTPURL(url("status/404")), secrets: [], retry4xx: retry4xx,
      concurrency: 4, client: client,
      surroundings: Surroundings.make(now: Fixtures.noon + age))
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    #expect(answers.map(\.isRetry) == [isTriedAgain])
    #expect(answers.map(\.isRejected) == [!isTriedAgain])
  }

  /// The server of this test answers with the message that it received.
  @Test func `S3: a reason has no part of the response's body`() async throws {
    let sink = try sink(url("echo"))
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    try #require(answers.map(\.reason) == ["http://127.0.0.1:\(peer.port): 400 Bad Request"])
    #expect(answers[0].response?.excerpt.contains("specversion") == true)
  }

  @Test(arguments: ["close", "close-next"])
  func `connections closed between requests lose nothing`(path: String) async throws {
    let sink = try sink(url(path))
    for _ in 0..<5 {
      let answers = try await sink.deliver(Fixtures.deliveries(1...100))
      #expect(answers.count == 100)
      for answer in answers where !answer.isDelivered {
        guard case .retry = answer.verdict else {
          Issue.record("lost: \(answer)")
          continue
        }
      }
    }
  }

  /// Runs in its own process, because other tests use memory at the same time.
  @Test func `endless bodies use less than 32 MB of memory`() async throws {
    await #expect(processExitsWith: .success) {
      let peer = try PythonPeer("http_peer.py")
      let client = try SafeHTTPClient(
        HTTPSettings(policy: Surroundings.loopback), deadline: .seconds(20), concurrency: 32)
      let url = try HTTPURL("http://127.0.0.1:\(peer.port)/huge")
      let sink = WebhookSink(
        name: "hook", url: url, secrets: [], concurrency: 32, client: client,
        surroundings: Surroundings.make())
      _ = try await sink.deliver(Fixtures.deliveries(1...32))
      let before = PeakMemory.kilobytes
      for _ in 0..<4 { _ = try await sink.deliver(Fixtures.deliveries(1...32)) }
      #expect(PeakMemory.kilobytes - before < 32_000)
    }
  }
}
