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

/// The sink for browsers. An independent library decrypts the pushes.
@Suite(
  .enabled(if: WebPushStage.isAvailable, "http_ece is missing; run `make test`, which fetches it"))
struct WebPushSinkTests {
  private let stage: WebPushStage
  private let directory: TemporaryDirectory

  init() throws {
    stage = try WebPushStage()
    directory = try TemporaryDirectory()
    try directory.write(WebPushStage.key, to: "vapid")
  }

  private func sink(
    _ lines: [String] = [], allow: String = "127.0.0.0/8", trust: String? = nil
  ) throws -> any Sink {
    try stage.sink(
      lines, in: Surroundings.make(credentials: directory.path, now: Fixtures.noon),
      allow: allow, trust: trust)
  }

  @Test func `the browser reads the notification`() async throws {
    var delivery = stage.addressed(Fixtures.delivery(7, title: "Tag \"1\" – ü", body: "🕌"))
    delivery.message = delivery.message.with(details: #"{"deepLink":"/lesson/2"}"#)
    let answers = try await sink().deliver([delivery])
    #expect(answers.map(\.isDelivered) == [true])
    let push = try #require(try stage.pushes.first)
    #expect(
      push["text"] == [
        "id": "store-7", "reminder": "note", "category": "NOTE", "title": "Tag \"1\" – ü",
        "body": "🕌", "details": ["deepLink": "/lesson/2"],
      ])
    #expect(push["path"] == "/push/b1")
    let fields = push["fields"]
    #expect(fields?["content-encoding"] == "aes128gcm")
    #expect(fields?["ttl"] == "43200")
    #expect(fields?["urgency"] == "normal")
    #expect(fields?["topic"]?.stringValue?.count == 32)
    #expect(push["claims"]?["sub"] == "mailto:a@example.org")
    let expiry = try #require(push["claims"]?["exp"]?.integerValue)
    #expect(expiry > Fixtures.noon.seconds && expiry <= Fixtures.noon.seconds + 86_400)
  }

  @Test func `a silent push is marked as silent and has low urgency`() async throws {
    var silent = stage.addressed(Fixtures.delivery(1))
    silent.isSilent = true
    var urgent = stage.addressed(Fixtures.delivery(2))
    urgent.urgency = .critical
    for delivery in [silent, urgent] { _ = try await sink().deliver([delivery]) }
    #expect(try stage.pushes.map { $0["fields"]?["urgency"] } == ["low", "high"])
    #expect(try stage.pushes.map { $0["text"]?["silent"] } == [true, nil])
  }

  @Test func `a long text is cut to one record`() async throws {
    let long = String(repeating: "日本", count: 3_000)
    _ = try await sink().deliver([stage.addressed(Fixtures.delivery(1, body: long))])
    let push = try #require(try stage.pushes.first)
    #expect(push["text"]?["body"]?.stringValue?.hasSuffix("…") == true)
    let length = try #require(push["length"]?.integerValue)
    #expect((4_000...4_096).contains(length))
  }

  @Test(arguments: [
    ("201", "delivered"), ("202", "delivered"),
    ("404", "gone the push service answers 404"), ("410", "gone the push service answers 410"),
    ("413", "rejected the push service answers 413"),
    ("429 Retry-After:60", "retry the push service answers 429 after 1m"),
    ("503", "retry the push service answers 503"),
  ])
  func `D2: the push service's answers are understood`(status: String, meaning: String) async throws
  {
    try stage.order("status", status)
    let answer = try #require(
      try await sink().deliver([stage.addressed(Fixtures.delivery(1))]).first)
    let gone = answer.goneDevices.isEmpty ? "" : "gone "
    let text =
      switch answer.verdict {
      case .delivered: "delivered"
      case .retry(let after, let reason): "retry \(reason)" + (after.map { " after \($0)" } ?? "")
      case .rejected(let reason): (gone.isEmpty ? "rejected " : gone) + reason
      }
    #expect(text == meaning)
    let excerpt = try #require(answer.response?.excerpt)
    #expect(excerpt.hasPrefix("******** vapid t=***"))
    // Every VAPID token begins with these letters.
    #expect(!excerpt.contains("eyJ"))
  }

  @Test func `a browser subscribed with another key is not reported as gone`() async throws {
    try stage.order("status", "403")
    let answer = try await sink().deliver([stage.addressed(Fixtures.delivery(1))]).first
    #expect(answer?.goneDevices == [])
    #expect(answer?.reason?.contains("must subscribe with the public key") == true)
  }

  // MARK: - Endpoints chosen by recipients

  @Test func `a push to a private address opens no connection and is retried`() async throws {
    let sink = try sink(allow: "10.99.0.0/16")
    let answer = try await sink.deliver([stage.addressed(Fixtures.delivery(1))]).first
    #expect(answer?.isRetry == true)
    #expect(answer?.reason?.contains("is not public") == true)
    #expect(try stage.pushes.isEmpty)
  }

  @Test func `a push to an unknown host is retried and delays no other`() async throws {
    let nowhere = stage.device(
      stage.subscription.text.replacing("https://localhost:", with: "https://nowhere.invalid:"))
    let deliveries = [
      stage.addressed(Fixtures.delivery(1), to: nowhere), stage.addressed(Fixtures.delivery(2)),
    ]
    for _ in 0..<2 {
      #expect(try await sink().deliver([deliveries[0]]).map(\.isRetry) == [true])
    }
    #expect(try await sink().deliver(deliveries).map(\.isDelivered) == [false, true])
  }

  @Test func `D3: a silent host is tried by one push at a time`() async throws {
    let sink = try sink(["deadline: 300ms", "concurrency: 4"])
    try stage.order("stall")
    let silent = (1...12).map { stage.addressed(Fixtures.delivery($0)) }
    // The first pushes use the whole concurrency until the host counts as silent.
    var reasons = Set<String>()
    for _ in 0..<2 {
      let answers = try await sink.deliver(silent)
      #expect(answers.allSatisfy { $0.isRetry })
      reasons.formUnion(answers.compactMap(\.reason))
    }
    #expect(reasons.contains { $0.contains("no answer before the deadline") })
    #expect(reasons.contains { $0.contains("no answer yet to another push") })
    let otherHost = stage.device(
      stage.subscription.text.replacing("https://localhost:", with: "https://127.0.0.1:"))
    let answer = try await sink.deliver([stage.addressed(Fixtures.delivery(20), to: otherHost)])
      .first
    #expect(answer?.reason?.contains("no answer yet to another push") == false)
  }

  @Test func `a service without a valid certificate gets nothing`() async throws {
    let sink = try sink(trust: TestCertificate.stranger.get().certificate)
    let answer = try await sink.deliver([stage.addressed(Fixtures.delivery(1))]).first
    #expect(answer?.reason?.contains("certificate") == true)
    #expect(try stage.pushes.isEmpty)
  }

  @Test func `a device that is not a browser is left to other sinks`() async throws {
    for device in [stage.device("fcm-token"), stage.device(nil, "ios")] {
      let answer = try await sink().deliver([stage.addressed(Fixtures.delivery(1), to: device)])
      #expect(answer.first?.reason == "the recipient has no device that this sink reaches")
    }
  }

  @Test(
    arguments: [
      (nil, String(repeating: "A", count: 87), "p256dh is not a point of the curve P-256"),
      ("https://localhost:0/", nil, "the endpoint of its subscription has an invalid port"),
    ] as [(String?, String?, String)])
  func `an impossible subscription is reported as gone`(
    endpoint: String?, key: String?, reason: String
  ) async throws {
    let valid = stage.subscription
    let broken = stage.device("\(endpoint ?? valid.endpoint) \(key ?? valid.key) \(valid.secret)")
    let answer = try await sink().deliver([stage.addressed(Fixtures.delivery(1), to: broken)]).first
    #expect(answer?.goneDevices == ["browser"])
    #expect(answer?.reason?.contains(reason) == true, "\(answer?.reason ?? "none")")
  }
}
