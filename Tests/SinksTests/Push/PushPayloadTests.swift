import CivilTime
import Cryptography
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Synchronization
import Testing

/// The payloads for push services.
@Suite struct PushPayloadTests {
  private let phone = PushStage.device("phone", "ios", token: "ab12")

  private func delivery(
    _ urgency: Urgency = .normal, isSilent: Bool = false, hints: Hints = [],
    body: String = "A note."
  ) -> Delivery {
    var delivery = Fixtures.delivery(7, body: body)
    delivery.urgency = urgency
    delivery.isSilent = isSilent
    delivery.hints = hints
    return delivery
  }

  private func apple(_ delivery: Delivery, tone: String? = nil) throws -> JSONValue {
    let payload = try #require(APNsNotification(delivery, to: phone).payload(tone: tone))
    return try JSONParser().parse(payload)
  }

  private func appleHeaders(_ delivery: Delivery, now: Instant = Fixtures.noon) -> [String: String]
  {
    let headers = APNsNotification(delivery, to: phone)
      .headers(topic: "com.example.app", bearer: "b", now: now)
    return Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
  }

  private func google(
    _ delivery: Delivery, _ platform: String = "android",
    _ presentation: FCMPresentation = FCMPresentation(),
    now: Instant = Fixtures.noon
  ) throws -> JSONValue {
    let message = FCMMessage(delivery, platform: platform, token: "t", presentation: presentation)
    let document = try JSONParser().parse(try #require(message.bytes(now: now)))
    return try #require(document["message"])
  }

  // MARK: - Actions

  @Test func `H28: actions are in the category and data of Apple's payload`() throws {
    var delivery = delivery()
    delivery.message = delivery.message.with(details: ActionSample.details(count: 2))
    let payload = try apple(delivery)
    #expect(payload["aps"]?["category"] == "NOTE.a1.a2" && payload["category"] == "NOTE")
    let details = try JSONParser.parse(ActionSample.details(count: 2))
    #expect(payload["details"] == details)
  }

  @Test func `H28: actions are in Google's data, and buttons of a browser`() throws {
    var delivery = delivery()
    delivery.message = delivery.message.with(details: ActionSample.details(count: 1))
    let data = try google(delivery)["data"]
    #expect(data?["details"]?.stringValue == ActionSample.details(count: 1))
    let web = try google(delivery, "web")
    #expect(
      web["webpush"]?["notification"]?["actions"] == [["action": "a1", "title": "A1"]])
  }

  @Test func `H28: actions are buttons of a web push, with their links in its details`() throws {
    var delivery = delivery()
    delivery.message = delivery.message.with(details: ActionSample.details(count: 1))
    let payload = try JSONParser.parse(#require(WebPushMessage(delivery).payload))
    #expect(payload["actions"] == [["action": "a1", "title": "A1"]])
    #expect(payload["details"]?["actions"]?.arrayValue?.first?["url"] == "https://x.org/a/1")
  }

  // MARK: - Withdrawals

  /// Accepts every push to Android and browsers, and records the devices' platforms.
  private final class AcceptingService: PushService {
    let platforms: Set<String> = ["android", "web"]
    private let entries = Mutex<[String]>([])

    var platformsOfPushes: [String] { entries.withLock { $0 } }

    func push(
      _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
    ) async -> PushResult {
      entries.withLock { $0.append(device.platform) }
      return PushResult(.delivered)
    }
  }

  private func withdrawal() -> Delivery {
    var delivery = delivery(.high)
    delivery.withdraw(at: Fixtures.noon)
    return delivery
  }

  @Test func `D16: Apple gets a background push without text`() throws {
    #expect(
      try apple(withdrawal()) == [
        "aps": ["content-available": 1], "id": "store-7", "withdrawn": true,
      ])
    let (headers, shown) = (appleHeaders(withdrawal()), appleHeaders(delivery()))
    #expect(headers["apns-push-type"] == "background" && headers["apns-priority"] == "5")
    #expect(headers["apns-collapse-id"] == shown["apns-collapse-id"])
    #expect(headers["apns-id"] != shown["apns-id"])
    let end = Fixtures.noon + .days(1)
    #expect(headers["apns-expiration"] == "\(end.seconds)")
  }

  @Test func `D16: Google gets data alone`() throws {
    let android = try google(withdrawal())
    #expect(android["data"] == ["id": "store-7", "withdrawn": "true"])
    #expect(android["notification"] == nil)
    #expect(android["android"] == ["priority": "NORMAL", "ttl": "86400s"])
    let apple = try google(withdrawal(), "ios")["apns"]
    #expect(apple?["payload"] == ["aps": ["content-available": 1]])
  }

  @Test func `D16: browsers get no withdrawal`() async throws {
    let service = AcceptingService()
    let sink = PushSink(SinkCommonSettings(name: "push", concurrency: 1), service: service)
    #expect(sink.canWithdraw && !sink.isWithdrawnByApps)
    var withdrawal = withdrawal()
    for (platforms, count) in [(["web"], 0), (["web", "android"], 1)] {
      withdrawal.addressee = Addressee(
        zone: "UTC", devices: platforms.map { PushStage.device($0, $0, token: "t") })
      let answers = try await sink.deliver([withdrawal], BatchProgress(count: 1))
      #expect(answers.map(\.isDelivered) == [count > 0])
      #expect(service.platformsOfPushes == Array(repeating: "android", count: count))
    }
  }

  @Test func `D16: web push cannot withdraw`() throws {
    let settings = SinkCommonSettings(name: "push", concurrency: 1)
    let key = try #require(VAPIDKey(Secret(WebPushStage.key), subject: "mailto:a@example.org"))
    let client = try SafeHTTPClient(
      HTTPSettings(policy: Surroundings.loopback), deadline: .milliseconds(300), concurrency: 1)
    let service = WebPushService(key: key, client: client, now: { Fixtures.noon })
    let sink = PushSink(settings, service: service)
    #expect(!sink.canWithdraw && sink.isWithdrawnByApps)
  }

  // MARK: - Apple

  @Test func `Apple's payload has the shown text and the app's data`() throws {
    var delivery = delivery()
    let details = #"{"screen":"lesson","day":3}"#
    delivery.message = delivery.message.with(details: details, members: ["a", "b"])
    #expect(
      try apple(delivery) == [
        "aps": [
          "alert": ["title": "Note", "body": "A note."], "sound": "default", "category": "NOTE",
          "thread-id": "NOTE", "interruption-level": "active",
        ],
        "id": "store-7", "reminder": "note", "category": "NOTE",
        "details": ["screen": "lesson", "day": 3], "digest": ["a", "b"],
      ])
    #expect(
      appleHeaders(delivery) == [
        "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "store-7",
        "apns-expiration": "1772496000", "apns-topic": "com.example.app",
        "apns-id": PushIdentity.uuid(delivery, phone), "authorization": "bearer b",
        "content-type": "application/json",
      ])
  }

  @Test(arguments: [
    (Urgency.low, "5", "passive"), (.normal, "10", "active"), (.high, "10", "time-sensitive"),
    (.critical, "10", "time-sensitive"), (.mandatory, "10", "time-sensitive"),
  ])
  func `Apple's priority and level follow the urgency`(
    urgency: Urgency, priority: String, level: String
  ) throws {
    #expect(appleHeaders(delivery(urgency))["apns-priority"] == priority)
    #expect(try apple(delivery(urgency))["aps"]?["interruption-level"] == .string(level))
  }

  @Test func `a silent delivery makes no sound`() throws {
    let silent = delivery(.high, isSilent: true)
    #expect(try apple(silent)["aps"]?["sound"] == nil)
    #expect(try apple(silent)["aps"]?["interruption-level"] == "passive")
    #expect(appleHeaders(silent)["apns-priority"] == "5")
    let android = try google(
      silent, presentation: FCMPresentation(channel: "main", silentChannel: "quiet"))
    #expect(android["android"]?["priority"] == "NORMAL")
    #expect(android["android"]?["notification"]?["sound"] == nil)
    #expect(android["android"]?["notification"]?["channel_id"] == "quiet")
    #expect(try google(silent, "web")["webpush"]?["notification"]?["silent"] == true)
    #expect(try google(silent, "web")["webpush"]?["headers"]?["Urgency"] == "low")
  }

  private func google(_ delivery: Delivery, presentation: FCMPresentation) throws -> JSONValue {
    try google(delivery, "android", presentation)
  }

  @Test func `the recipient's hints are followed`() throws {
    let withoutSound = delivery(hints: [.noSound, .noVibration, .previewUnlocked])
    #expect(try apple(withoutSound)["aps"]?["sound"] == nil)
    let android = try google(withoutSound)["android"]?["notification"]
    #expect(android?["sound"] == nil)
    #expect(android?["default_vibrate_timings"] == false)
    #expect(android?["visibility"] == "PRIVATE")
    let withCustomTone = delivery(hints: .customTone)
    #expect(try apple(withCustomTone, tone: "chime.caf")["aps"]?["sound"] == "chime.caf")
    #expect(try apple(withCustomTone)["aps"]?["sound"] == "default")
    let presentation = FCMPresentation(tone: "chime")
    #expect(
      try google(withCustomTone, presentation: presentation)["android"]?["notification"]?["sound"]
        == "chime")
  }

  @Test func `a hidden preview shows only the title`() throws {
    let hidden = delivery(hints: .previewNever)
    #expect(try apple(hidden)["aps"]?["alert"] == ["title": "Note"])
    #expect(try google(hidden)["notification"] == ["title": "Note"])
  }

  @Test func `a delivery without text wakes the app in the background`() throws {
    var empty = delivery(body: "")
    empty.message = empty.message.with(title: "")
    #expect(try apple(empty)["aps"] == ["content-available": 1])
    #expect(appleHeaders(empty)["apns-push-type"] == "background")
    #expect(appleHeaders(empty)["apns-priority"] == "5")
  }

  @Test func `an expired delivery has a lifetime of zero`() throws {
    let delivery = delivery()
    #expect(appleHeaders(delivery, now: delivery.expiry)["apns-expiration"] == "0")
    #expect(try google(delivery, now: delivery.expiry)["android"]?["ttl"] == "0s")
    #expect(try google(delivery, now: delivery.expiry + .days(1))["android"]?["ttl"] == "0s")
  }

  // MARK: - Google

  @Test func `Google's payload has the shown text and the app's data`() throws {
    var delivery = delivery(.high)
    let details = #"{"screen":"lesson","day":3}"#
    delivery.message = delivery.message.with(details: details, members: ["a", "b"])
    #expect(
      try google(delivery) == [
        "token": "t", "notification": ["title": "Note", "body": "A note."],
        "data": [
          "id": "store-7", "reminder": "note", "category": "NOTE",
          "details": #"{"screen":"lesson","day":3}"#, "digest": "a,b",
        ],
        "android": [
          "priority": "HIGH", "ttl": "43200s",
          "notification": ["tag": "store-7", "sound": "default"],
        ],
      ])
  }

  @Test func `browsers and Apple devices get their own members`() throws {
    let topic = PushIdentity.topic(delivery())
    #expect(
      try google(delivery(), "web")["webpush"] == [
        "headers": ["TTL": "43200", "Urgency": "high", "Topic": .string(topic)],
        "notification": ["tag": "store-7"],
      ])
    #expect(
      try google(delivery(), "ios")["apns"] == [
        "headers": [
          "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "store-7",
          "apns-expiration": "1772496000",
        ],
        "payload": [
          "aps": [
            "sound": "default", "category": "NOTE", "thread-id": "NOTE",
            "interruption-level": "active",
          ]
        ],
      ])
  }

  @Test func `the lifetime for Google is at most four weeks`() throws {
    var delivery = delivery()
    delivery.expiry = Fixtures.noon + .days(400)
    #expect(try google(delivery)["android"]?["ttl"] == "2419200s")
  }

  // MARK: - Length

  private static let texts = [
    String(repeating: "x", count: 10_000), String(repeating: "\u{1}\"\\", count: 4_000),
    String(repeating: "👩‍👩‍👧‍👦", count: 2_000), String(repeating: "é\n", count: 5_000),
  ]

  @Test(arguments: texts.indices)
  func `a long text is cut and the payload stays valid`(number: Int) throws {
    let text = Self.texts[number]
    let long = delivery(body: text)
    let payload = try #require(APNsNotification(long, to: phone).payload(tone: nil))
    #expect((3_900...4_096).contains(payload.count))
    let body = try apple(long)["aps"]?["alert"]?["body"]?.stringValue
    #expect(body?.hasSuffix("…") == true)
    #expect(text.hasPrefix(body?.dropLast() ?? "?"))
    let message = FCMMessage(long, platform: "android", token: "t", presentation: FCMPresentation())
    #expect((3_900...4_097).contains(try #require(message.bytes(now: Fixtures.noon)).count))
    #expect(try google(long)["notification"]?["body"]?.stringValue?.hasSuffix("…") == true)
  }

  @Test func `a payload that is too large without its text is refused`() {
    var delivery = delivery()
    let details = "{\"a\":\"\(String(repeating: "x", count: 5_000))\"}"
    delivery.message = delivery.message.with(details: details)
    #expect(APNsNotification(delivery, to: phone).payload(tone: nil) == nil)
    let message = FCMMessage(
      delivery, platform: "android", token: "t", presentation: FCMPresentation())
    #expect(message.bytes(now: Fixtures.noon) == nil)
  }

  // MARK: - Identity

  @Test func `identifiers are equal in each attempt and differ between devices`() throws {
    let one = PushIdentity.uuid(delivery(), phone)
    #expect(UUID(uuidString: one) != nil)
    #expect(one == one.lowercased())
    #expect(one == PushIdentity.uuid(delivery(.high, body: "other"), phone))
    #expect(one != PushIdentity.uuid(delivery(), PushStage.device("other", "ios")))
    #expect(one != PushIdentity.uuid(Fixtures.delivery(8), phone))
  }

  @Test func `a long identifier is shortened`() {
    var delivery = delivery()
    delivery.instance = String(repeating: "x", count: 100)
    #expect(PushIdentity.collapse(delivery).utf8.count == 64)
    #expect(PushIdentity.topic(delivery).utf8.count == 32)
    var other = delivery
    other.notification += 1
    #expect(PushIdentity.collapse(delivery) != PushIdentity.collapse(other))
  }
}
