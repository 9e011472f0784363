import CivilTime
import JSON
import Outbox
import Reminders
import Sinks
import Testing

private let needsPushPeer = Testing.ConditionTrait.enabled(
  if: PushPeer.isAvailable, "h2 is missing; run `make test`, which fetches it")

/// The sink for Google's push service, with a peer that follows Google's documentation.
@Suite(needsPushPeer) struct FCMSinkTests {
  private let stage: PushStage
  private let phone = PushStage.device("phone", "android")

  init() async throws {
    stage = try await PushStage()
  }

  private func push(_ deliveries: Delivery..., to sink: (any Sink)? = nil) async throws
    -> [SinkAnswer]
  {
    try await (sink ?? stage.fcm()).deliver(deliveries)
  }

  @Test func `a push is accepted with the account's access token`() async throws {
    let answers = try await push(stage.delivery(to: phone))
    #expect(answers.map(\.isDelivered) == [true])
    let push = try #require(await stage.peer.state.pushes(to: phone.tokenOrEmpty).first)
    #expect(push.path == "/v1/projects/tests/messages:send")
    #expect(push.header("authorization")?.hasPrefix("Bearer ya29.") == true)
    #expect(try push.body["message"]?["notification"]?["body"] == "A note.")
    #expect(try push.body["message"]?["android"]?["notification"]?["tag"] == "store-1")
  }

  @Test func `devices of the configured platforms are reached`() async throws {
    let devices = ["android", "web", "ios"].map { PushStage.device($0, $0) }
    let delivery = stage.delivery(to: devices[0], devices[1], devices[2])
    #expect(try await push(delivery)[0].isDelivered)
    let sink = try stage.fcm(["platforms": "ios"])
    #expect(try await push(delivery, to: sink)[0].isDelivered)
    let state = try await stage.peer.state
    for (device, member) in zip(devices, ["android", "webpush", "apns"]) {
      let pushes = state.pushes(to: device.tokenOrEmpty)
      #expect(pushes.count == 1)
      #expect(try pushes.first?.body["message"]?[member] != nil)
    }
  }

  private static func error(_ status: Int64, _ code: String, _ headers: JSONValue = [:])
    -> JSONValue
  {
    [
      "status": .integer(status), "headers": headers,
      "body": [
        "error": [
          "code": .integer(status), "status": "X", "message": "A message.",
          "details": [["errorCode": .string(code)]],
        ]
      ],
    ]
  }

  @Test func `FCM's answers report a device as gone, or a push as retried or rejected`()
    async throws
  {
    let sink = try stage.fcm()
    try await stage.peer.script(
      phone.tokenOrEmpty, Self.error(404, "UNREGISTERED"),
      Self.error(429, "QUOTA_EXCEEDED", ["retry-after": "77"]),
      Self.error(403, "SENDER_ID_MISMATCH"), Self.error(500, "INTERNAL"))
    let gone = try await push(stage.delivery(to: phone), to: sink)[0]
    #expect(gone.goneDevices == ["phone"])
    #expect(gone.verdict == .rejected(reason: "FCM answers 404 UNREGISTERED"))
    #expect(gone.response?.status == "404 UNREGISTERED")
    let quota = try await push(stage.delivery(to: phone), to: sink)[0]
    #expect(quota.verdict == .retry(after: .seconds(77), reason: "FCM answers 429 QUOTA_EXCEEDED"))
    #expect(try await push(stage.delivery(to: phone), to: sink)[0].isRejected)
    #expect(try await push(stage.delivery(to: phone), to: sink)[0].isRetry)
  }

  @Test func `a push to one of several devices is enough`() async throws {
    let browser = PushStage.device("browser", "web")
    try await stage.peer.script(phone.tokenOrEmpty, Self.error(404, "UNREGISTERED"))
    let answer = try await push(stage.delivery(to: phone, browser))[0]
    #expect(answer.isDelivered)
    #expect(answer.goneDevices == ["phone"])
  }

  @Test func `a wrong project is an outage that names the setting`() async throws {
    let sink = try stage.fcm(["project": "other"])
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([stage.delivery(to: phone)])
    }
    #expect(outage?.description == "FCM answers 404 NOT_FOUND: check \"project\"")
  }

  // MARK: - The access token

  @Test func `many pushes use one access token`() async throws {
    try await stage.peer.set("token_delay", .number(0.05))
    let sink = try stage.fcm()
    let batch = (1...200).map { stage.delivery(Int64($0), to: phone) }
    #expect(try await sink.deliver(batch).allSatisfy(\.isDelivered))
    #expect(try await stage.peer.state.tokens.count == 1)
    #expect(try await stage.peer.state.openedCount == 1)
    stage.advance(by: .minutes(54))
    #expect(try await sink.deliver(batch).allSatisfy(\.isDelivered))
    #expect(try await stage.peer.state.tokens.count == 1)
    stage.advance(by: .minutes(2))
    #expect(try await sink.deliver([stage.delivery(to: phone)]).allSatisfy(\.isDelivered) == true)
    #expect(try await stage.peer.state.tokens.count == 2)
  }

  @Test func `an access token that cannot be renewed is used until it expires`() async throws {
    let sink = try stage.fcm()
    func isDelivered() async throws -> Bool {
      try await sink.deliver([stage.delivery(to: phone)]).allSatisfy(\.isDelivered)
    }
    #expect(try await isDelivered())
    try await stage.peer.set("token_answer", ["status": 503, "body": "<html>"])
    stage.advance(by: .minutes(56))
    #expect(try await isDelivered())
    #expect(try await isDelivered())
    #expect(try await stage.peer.state.tokens.count == 2)
    stage.advance(by: .minutes(1))
    #expect(try await isDelivered())
    #expect(try await stage.peer.state.tokens.count == 3)
    stage.advance(by: .minutes(4))
    await #expect(throws: SinkOutage.self) { try await isDelivered() }
    try await stage.peer.set("token_answer", .null)
    #expect(try await isDelivered())
  }

  @Test func `a refused access token is renewed once`() async throws {
    let sink = try stage.fcm()
    #expect(try await sink.deliver([stage.delivery(to: phone)])[0].isDelivered)
    try await stage.peer.command(["do": "revoke"])
    let batch = (1...100).map { stage.delivery(Int64($0), to: phone) }
    #expect(try await sink.deliver(batch).allSatisfy(\.isDelivered))
    #expect(try await stage.peer.state.tokens.count == 2)
  }

  @Test func `an access token that is always refused is an outage`() async throws {
    try await stage.peer.set("token_life", 0)
    try await stage.peer.set(
      "token_answer",
      ["status": 200, "body": ["access_token": "stale", "expires_in": 3600]])
    let sink = try stage.fcm()
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([stage.delivery(to: phone)])
    }
    #expect(outage?.description.contains("FCM answers 401, even to a new access token") == true)
    #expect(try await stage.peer.state.tokens.count == 2)
  }

  static let refusals: [(JSONValue, String)] = [
    (
      ["status": 400, "body": ["error": "invalid_grant", "error_description": "secret words"]],
      "the server answers 400 invalid_grant; check that the service account"
    ),
    (["status": 503, "body": "<html>"], "the server answers 503"),
    (["status": 200, "body": ["token_type": "Bearer"]], "the answer has none"),
    (
      ["status": 200, "body": ["access_token": "a\r\nevil: 1", "expires_in": 3600]],
      "the answer has none"
    ),
    (["status": 200, "body": ["access_token": "a", "expires_in": -5]], "the answer has none"),
  ]

  @Test(arguments: refusals)
  func `a failed request for an access token is an outage`(answer: JSONValue, words: String)
    async throws
  {
    try await stage.peer.set("token_answer", answer)
    let sink = try stage.fcm()
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([stage.delivery(to: phone), stage.delivery(2, to: phone)])
    }
    #expect(outage?.description.contains("no access token for FCM: " + words) == true)
    #expect(outage?.description.contains("secret") == false)
    try await stage.peer.set("token_answer", .null)
    #expect(try await sink.deliver([stage.delivery(to: phone)])[0].isDelivered)
  }

  // MARK: - Secrets

  @Test func `secrets in a server's answer are hidden`() async throws {
    let token = phone.tokenOrEmpty
    try await stage.peer.script(token, ["status": 500, "body": .string("you said \(token)")])
    let answer = try await push(stage.delivery(to: phone))[0]
    #expect(answer.response?.excerpt == "you said " + String(repeating: "*", count: token.count))
    #expect(!"\(answer)".contains(token))
  }

  /// A caller with a recipient's own token can register any text as a device's token.
  @Test func `a device token that is part of a secret does not uncover the rest`() async throws {
    let sink = try stage.fcm()
    _ = try await push(stage.delivery(to: phone), to: sink)
    let pushes = try await stage.peer.state.pushes(to: phone.tokenOrEmpty)
    let bearer = try #require(pushes.first?.header("authorization")?.dropFirst("Bearer ".count))
    let device = PushStage.device("part", "android", token: String(bearer.prefix(8)))
    try await stage.peer.script(
      device.tokenOrEmpty, ["status": 500, "body": .string("you said \(bearer)")])
    let answer = try await push(stage.delivery(to: device), to: sink)[0]
    #expect(answer.response?.excerpt == "you said " + String(repeating: "*", count: bearer.count))
  }

  @Test func `a dump of a sink shows no secrets`() async throws {
    let key = try stage.keys.text("account.key").split(separator: "\n")[1]
    let apple = PushStage.device("apple", "ios")
    for sink in [try stage.fcm(), try stage.apns()] {
      #expect(try await push(stage.delivery(to: phone, apple), to: sink)[0].isDelivered)
      var text = ""
      dump(sink, to: &text, maxDepth: 10, maxItems: 5_000)
      #expect(!text.contains(key))
      #expect(!text.contains("PRIVATE"))
      #expect(!text.contains("ya29."))
      #expect(!text.contains("eyJ"))
    }
  }
}
