import CivilTime
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Testing

private let needsPushPeer = Testing.ConditionTrait.enabled(
  if: PushPeer.isAvailable, "h2 is missing; run `make test`, which fetches it")

/// The sink for Apple's push service, with a peer that follows Apple's documentation.
@Suite(needsPushPeer) struct APNsSinkTests {
  private let stage: PushStage
  private let phone = PushStage.device("phone", "ios")

  init() async throws {
    stage = try await PushStage()
  }

  private func push(
    _ deliveries: Delivery..., to sink: (any Sink)? = nil
  ) async throws -> [SinkAnswer] {
    try await (sink ?? stage.apns()).deliver(deliveries)
  }

  @Test func `a push is accepted with a real signature`() async throws {
    let answers = try await push(stage.delivery(to: phone))
    try #require(answers.map(\.isDelivered) == [true])
    #expect(answers[0].response?.status == "200")
    let push = try #require(await stage.peer.state.pushes(to: phone.tokenOrEmpty).first)
    #expect(push.path == "/3/device/\(phone.tokenOrEmpty)")
    #expect(push.header("apns-topic") == "com.example.app")
    #expect(push.header(":authority") == "localhost:\(stage.peer.port)")
    #expect(try push.body["aps"]?["alert"]?["body"] == "A note.")
  }

  @Test func `only Apple devices are reached`() async throws {
    let other = PushStage.device("other", "android")
    #expect(try await push(stage.delivery(to: other))[0].isRejected)
    var withoutAddressee = stage.delivery()
    withoutAddressee.addressee = nil
    #expect(try await push(withoutAddressee)[0].isRejected)
    #expect(try await stage.peer.state.pushes(to: other.tokenOrEmpty).isEmpty)
  }

  @Test func `an impossible token is reported as gone and not sent`() async throws {
    let phone = PushStage.device("phone", "ios", token: "../../v1/evil?\u{e9}")
    let answers = try await push(stage.delivery(to: phone))
    let answer = try #require(answers.first)
    #expect(answer.goneDevices == ["phone"])
    #expect(answer.isRejected)
  }

  @Test(arguments: [(410, "Unregistered"), (410, "ExpiredToken")])
  func `a device that is gone is reported`(status: Int64, reason: String) async throws {
    try await stage.peer.script(
      phone.tokenOrEmpty, ["status": .integer(status), "body": ["reason": .string(reason)]])
    let answer = try await push(stage.delivery(to: phone))[0]
    #expect(answer.verdict == .rejected(reason: "APNs answers \(status) \(reason)"))
    #expect(answer.goneDevices == ["phone"])
    #expect(answer.response?.status == "\(status) \(reason)")
    #expect(answer.response?.excerpt == "{\"reason\": \"\(reason)\"}")
  }

  @Test func `a push to one of several devices is enough, gone ones are reported`() async throws {
    let devices = ["a", "b", "c"].map { PushStage.device($0, "ios") }
    try await stage.peer.script(
      devices[0].tokenOrEmpty, ["status": 410, "body": ["reason": "Unregistered"]])
    try await stage.peer.script(
      devices[1].tokenOrEmpty, ["status": 503, "body": ["reason": "ServiceUnavailable"]])
    let answer = try await push(stage.delivery(to: devices[0], devices[1], devices[2]))[0]
    #expect(answer.isDelivered)
    #expect(answer.goneDevices == ["a"])
  }

  @Test func `a repeated delivery has the same identifiers`() async throws {
    try await stage.peer.script(
      phone.tokenOrEmpty, ["status": 429, "body": ["reason": "TooManyRequests"]])
    let sink = try stage.apns()
    #expect(try await push(stage.delivery(to: phone), to: sink)[0].isRetry)
    #expect(try await push(stage.delivery(to: phone), to: sink)[0].isDelivered)
    let pushes = try await stage.peer.state.pushes(to: phone.tokenOrEmpty)
    #expect(pushes.count == 2)
    #expect(Set(pushes.map { $0.header("apns-id") }).count == 1)
    #expect(Set(pushes.map { $0.header("apns-collapse-id") }) == ["store-1"])
  }

  @Test func `a push is retried when Apple asks for it`() async throws {
    try await stage.peer.script(
      phone.tokenOrEmpty,
      ["status": 503, "body": ["reason": "Shutdown"], "headers": ["retry-after": "30"]])
    #expect(try await push(stage.delivery(to: phone))[0].wait == .seconds(30))
    try await stage.peer.script(
      phone.tokenOrEmpty, ["status": 500, "body": ["reason": "InternalServerError"]])
    #expect(try await push(stage.delivery(to: phone))[0].wait == .minutes(15))
  }

  @Test func `a push that Apple finds too large is rejected`() async throws {
    try await stage.peer.script(
      phone.tokenOrEmpty, ["status": 413, "body": ["reason": "PayloadTooLarge"]])
    #expect(try await push(stage.delivery(to: phone))[0].isRejected)
  }

  @Test func `a long text is cut between characters`() async throws {
    let text = String(repeating: "👩‍👩‍👧‍👦\u{1}", count: 3_000)
    #expect(try await push(stage.delivery(to: phone, body: text))[0].isDelivered)
    let push = try #require(await stage.peer.state.pushes(to: phone.tokenOrEmpty).first)
    #expect(push.byteCount <= 4_096)
    let body = try #require(push.body["aps"]?["alert"]?["body"]?.stringValue)
    #expect(body.hasSuffix("…") && text.hasPrefix(body.dropLast()))
  }

  @Test func `a broken connection is retried`() async throws {
    try await stage.peer.script(phone.tokenOrEmpty, ["do": "reset"])
    #expect(try await push(stage.delivery(to: phone))[0].reason == "the connection broke")
  }

  @Test func `a missing answer is retried`() async throws {
    try await stage.peer.script(phone.tokenOrEmpty, ["do": "stall"])
    let hasty = try stage.apns(["deadline": "1s"])
    let late = try await push(stage.delivery(to: phone), to: hasty)[0]
    #expect(late.verdict == .retry(after: nil, reason: "no answer came in time"))
  }

  // MARK: - The provider token

  @Test func `a provider token is signed once and replaced in time`() async throws {
    let sink = try stage.apns()
    for span in [TimeSpan.zero, .minutes(44), .minutes(2), .hours(-3)] {
      stage.advance(by: span)
      #expect(try await push(stage.delivery(to: phone), to: sink)[0].isDelivered)
    }
    let pushes = try await stage.peer.state.pushes(to: phone.tokenOrEmpty)
    let tokens = pushes.compactMap { $0.header("authorization") }
    try #require(tokens.count == 4)
    #expect(tokens[0] == tokens[1])
    #expect(Set(tokens).count == 3)
  }

  @Test func `an expired provider token is replaced once and the push repeated`() async throws {
    let sink = try stage.apns()
    #expect(try await sink.deliver([stage.delivery(to: phone)])[0].isDelivered)
    try await stage.peer.set("issued_after", .integer(stage.now.seconds + 60))
    stage.advance(by: .minutes(2))
    let batch = (1...20).map { stage.delivery(Int64($0), to: phone) }
    #expect(try await sink.deliver(batch).allSatisfy(\.isDelivered))
    let tokens = try await stage.peer.state.pushes.compactMap { $0.header("authorization") }
    #expect(Set(tokens).count == 2)
  }

  @Test func `a wrong clock is an outage without a flood of tokens`() async throws {
    try await stage.peer.set("issued_after", .integer(stage.now.seconds + 60))
    let sink = try stage.apns()
    for _ in 0..<3 {
      let outage = await #expect(throws: SinkOutage.self) {
        try await sink.deliver([stage.delivery(to: phone)])
      }
      #expect(
        outage?.description
          == "APNs answers 403 ExpiredProviderToken: check this machine's clock")
    }
    let tokens = try await stage.peer.state.pushes.compactMap { $0.header("authorization") }
    #expect(Set(tokens).count == 1)
    stage.advance(by: .minutes(20))
    #expect(try await sink.deliver([stage.delivery(to: phone)])[0].isDelivered)
  }

  @Test func `a key of another team is an outage that names the setting`() async throws {
    let sink = try stage.apns(["key": "{credential: stranger}"])
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([stage.delivery(to: phone)])
    }
    #expect(outage?.description.contains("InvalidProviderToken: check that \"key\"") == true)
    let other = try stage.apns(["topic": "com.example.other"])
    let second = await #expect(throws: SinkOutage.self) {
      try await other.deliver([stage.delivery(to: phone)])
    }
    #expect(second?.description.contains("BadTopic: check that \"topic\"") == true)
  }

  // MARK: - Many

  @Test func `many pushes are answered in order over one connection`() async throws {
    let sink = try stage.apns(["concurrency": "64"])
    let bad = Set<Int64>([3, 64, 200])
    let batch = (1...256).map { number in
      stage.delivery(
        number, to: bad.contains(number) ? PushStage.device("bad", "ios", token: "xyz") : phone)
    }
    let answers = try await sink.deliver(batch)
    #expect(zip(batch, answers).allSatisfy { bad.contains($0.notification) == $1.isRejected })
    #expect(answers.count == 256)
    let state = try await stage.peer.state
    #expect(state.openedCount == 1)
    #expect(Set(state.pushes.compactMap { $0.header("apns-id") }).count == 253)
    #expect(try await sink.deliver([]) == [])
  }

  @Test func `an absent server is an outage until it is back`() async throws {
    let sink = try stage.apns()
    #expect(try await sink.deliver([stage.delivery(to: phone)])[0].isDelivered)
    try await stage.peer.command(["do": "close"])
    _ = try? await sink.deliver([stage.delivery(to: phone)])
    let batch = (1...256).map { stage.delivery(Int64($0), to: phone) }
    let outage = await #expect(throws: SinkOutage.self) { try await sink.deliver(batch) }
    #expect(outage?.description.contains("Connection refused") == true)
    try await stage.peer.command(["do": "listen"])
    #expect(try await sink.deliver(batch).allSatisfy(\.isDelivered))
  }

  @Test func `after an outage in mid-batch, the rest is retried`() async throws {
    let sink = try stage.apns(["concurrency": "1"])
    let topic = PushStage.device("topic", "ios")
    try await stage.peer.script(
      topic.tokenOrEmpty, ["status": 400, "body": ["reason": "BadTopic"]])
    let answers = try await sink.deliver([
      stage.delivery(1, to: phone), stage.delivery(2, to: topic), stage.delivery(3, to: phone),
    ])
    try #require(answers.map(\.isDelivered) == [true, false, false])
    #expect(answers[1].isRetry && answers[2].isRetry)
    #expect(try await stage.peer.state.pushes.count == 2)
  }
}
