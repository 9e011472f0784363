import CivilTime
import DeliverySamples
import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// The results that follow from push services' answers.
@Suite struct PushVerdictTests {
  private static func google(
    _ status: Int, _ statusText: String, _ code: String? = nil, field: String? = nil,
    message: String = ""
  ) -> ExchangeResponse {
    var details: [JSONValue] = []
    if let code {
      details.append([
        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(code),
      ])
    }
    if let field {
      details.append([
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [["field": .string(field), "description": "wrong"]],
      ])
    }
    let error: JSONValue = [
      "error": [
        "code": .integer(Int64(status)), "message": .string(message), "status": .string(statusText),
        "details": .array(details),
      ]
    ]
    return ExchangeResponse(status: status, body: JSONWriter.compact(error))
  }

  private static func kind(_ outcome: PushResult.Outcome) -> String {
    switch outcome {
    case .delivered: "delivered"
    case .gone: "gone"
    case .rejected: "rejected"
    case .retry(let after, _): "retry" + (after.map { " \($0.milliseconds / 1_000)" } ?? "")
    case .outage: "outage"
    }
  }

  static let answersOfGoogle: [(ExchangeResponse, String)] = [
    (ExchangeResponse(status: 200), "delivered"),
    (google(404, "NOT_FOUND", "UNREGISTERED"), "gone"),
    (google(404, "NOT_FOUND"), "outage"),
    (ExchangeResponse(status: 404, body: Array("<html>".utf8)), "outage"),
    (google(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", field: "message.token"), "gone"),
    (
      google(
        400, "INVALID_ARGUMENT", "INVALID_ARGUMENT",
        message: "The registration token is not a valid FCM registration token"), "gone"
    ),
    (google(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", field: "message.data[0]"), "rejected"),
    (google(400, "INVALID_ARGUMENT"), "rejected"),
    (google(401, "UNAUTHENTICATED"), "unauthorized"),
    (google(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"), "retry"),
    (google(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"), "rejected"),
    (google(403, "PERMISSION_DENIED"), "outage"),
    (google(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), "retry 60"),
    (google(500, "INTERNAL", "INTERNAL"), "retry"),
    (google(503, "UNAVAILABLE", "UNAVAILABLE"), "retry"),
    (ExchangeResponse(status: 503, headers: [("retry-after", "120")]), "retry 120"),
    (ExchangeResponse(status: 429, headers: [("retry-after", "7")]), "retry 7"),
    (ExchangeResponse(status: 503, headers: [("retry-after", "-1")]), "retry"),
    (dated(503), "retry 30"), (dated(429), "retry 30"),
    (ExchangeResponse(status: 502, body: [0xff, 0xfe]), "retry"),
    (ExchangeResponse(status: 302), "rejected"),
    (ExchangeResponse(status: 204), "rejected"),
  ]

  /// A Retry-After of half a minute, as a date.
  private static func dated(_ status: Int) -> ExchangeResponse {
    ExchangeResponse(status: status, headers: [("retry-after", "Mon, 02 Mar 2026 12:00:30 GMT")])
  }

  @Test(arguments: answersOfGoogle)
  func `Google's answers have their documented meaning`(
    response: ExchangeResponse, expected: String
  ) {
    switch FCMVerdict(response, now: Fixtures.noon).meaning {
    case .unauthorized: #expect(expected == "unauthorized")
    case .outcome(let outcome): #expect(Self.kind(outcome) == expected)
    }
  }

  private static func apple(_ status: Int, _ reason: String, at: Int64? = nil) -> ExchangeResponse {
    var body: JSONObject = ["reason": .string(reason)]
    if let at { body["timestamp"] = .integer(at) }
    return ExchangeResponse(status: status, body: JSONWriter.compact(.object(body)))
  }

  static let answersOfApple: [(ExchangeResponse, String)] = [
    (ExchangeResponse(status: 200), "delivered"),
    (apple(400, "BadDeviceToken"), "rejected"),
    (apple(400, "DeviceTokenNotForTopic"), "rejected"),
    (apple(410, "Unregistered"), "gone"), (apple(410, "ExpiredToken"), "gone"),
    (apple(410, "Unregistered", at: Fixtures.noon.milliseconds + 1), "gone"),
    (apple(410, "Unregistered", at: Fixtures.noon.milliseconds - 1), "rejected"),
    (apple(400, "BadTopic"), "outage"), (apple(400, "TopicDisallowed"), "outage"),
    (apple(400, "IdleTimeout"), "retry"), (apple(400, "PayloadEmpty"), "rejected"),
    (apple(403, "ExpiredProviderToken"), "unauthorized"),
    (apple(403, "InvalidProviderToken"), "unauthorized"),
    (apple(403, "MissingProviderToken"), "unauthorized"),
    (apple(404, "BadPath"), "rejected"), (apple(405, "MethodNotAllowed"), "rejected"),
    (apple(413, "PayloadTooLarge"), "rejected"), (apple(429, "TooManyRequests"), "retry"),
    (apple(429, "TooManyProviderTokenUpdates"), "retry"),
    (apple(500, "InternalServerError"), "retry 900"), (apple(503, "Shutdown"), "retry 900"),
    (ExchangeResponse(status: 503, headers: [("retry-after", "5")]), "retry 5"),
    (dated(503), "retry 30"), (dated(429), "retry 30"),
    (ExchangeResponse(status: 502, body: Array("<html>".utf8)), "retry 900"),
  ]

  @Test(arguments: answersOfApple)
  func `Apple's answers have their documented meaning`(response: ExchangeResponse, expected: String)
  {
    switch APNsVerdict(response, registered: Fixtures.noon, now: Fixtures.noon).meaning {
    case .unauthorized: #expect(expected == "unauthorized")
    case .outcome(let outcome): #expect(Self.kind(outcome) == expected)
    }
  }

  @Test func `a reason contains only the service's known words`() {
    let response = Self.apple(400, "Evil\u{1b}[2J secret")
    #expect(
      APNsVerdict(response, registered: Fixtures.noon, now: Fixtures.noon).meaning
        == .outcome(.rejected(reason: "APNs answers 400")))
  }

  // MARK: - Several devices

  private func answer(_ outcomes: PushResult.Outcome..., devices: Int? = nil) -> SinkAnswer {
    let count = devices ?? outcomes.count
    let phones = (0..<count).map { PushStage.device("phone \($0)", "ios") }
    var tally = PushTally(devices: phones)
    for (phone, outcome) in zip(phones, outcomes) { tally.add(PushResult(outcome), of: phone) }
    return tally.answer(outage: nil)
  }

  @Test func `a push that one device accepts is delivered`() {
    let answer = answer(
      .retry(after: nil, reason: "r"), .gone(reason: "g"), .delivered, .rejected(reason: "x"))
    #expect(answer == SinkAnswer(.delivered, goneDevices: ["phone 1"]))
  }

  @Test func `if no device accepted, the longest wait counts`() {
    let answer = answer(
      .retry(after: .seconds(5), reason: "short"), .retry(after: .seconds(60), reason: "long"),
      .retry(after: nil, reason: "none"), .rejected(reason: "x"), .gone(reason: "g"))
    #expect(answer.verdict == .retry(after: .seconds(60), reason: "long"))
    #expect(answer.goneDevices == ["phone 4"])
  }

  @Test func `if no device can ever accept, the delivery is rejected`() {
    #expect(
      answer(.gone(reason: "g"), .rejected(reason: "x"))
        == SinkAnswer(.rejected(reason: "x"), goneDevices: ["phone 0"]))
    #expect(
      answer(.gone(reason: "g")) == SinkAnswer(.rejected(reason: "g"), goneDevices: ["phone 0"]))
    #expect(answer().isRejected)
  }

  @Test func `a device not tried because of an outage is retried`() {
    #expect(answer(.rejected(reason: "x"), devices: 2).isRetry)
    #expect(answer(.outage(reason: "o"), .rejected(reason: "x")).isRetry)
    #expect(answer(.delivered, devices: 2).isDelivered)
  }
}
