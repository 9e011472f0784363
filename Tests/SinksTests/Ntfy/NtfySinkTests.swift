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

/// The sink that publishes to ntfy.
@Suite struct NtfySinkTests {
  private static let peer = Result { try PythonPeer("ntfy_peer.py", ["tk_T0KEN"]) }

  private let peer: PythonPeer
  private let directory: TemporaryDirectory

  init() throws {
    peer = try Self.peer.get()
    directory = try TemporaryDirectory()
  }

  private func sink(
    topic: String, token: String? = "tk_T0KEN",
    _ change: (inout NtfyConfiguration) -> Void = { _ in }
  ) throws -> any Sink {
    if let token { try directory.write(token, to: "token") }
    var configuration = NtfyConfiguration(
      server: try HTTPURL("http://127.0.0.1:\(peer.port)/"),
      topic: try #require(NtfyTopic(topic)), token: token == nil ? nil : "token",
      http: HTTPSettings(policy: Surroundings.loopback))
    change(&configuration)
    return try configuration.sink(
      SinkCommonSettings(name: "ntfy", deadline: .seconds(20)),
      in: Surroundings.make(credentials: directory.path, now: Fixtures.noon))
  }

  private func received(_ topic: String) throws -> [JSONValue] {
    try peer.received.filter { $0["topic"] == .string(topic) }
  }

  @Test func `a delivery is one message`() async throws {
    let sink = try sink(topic: "chimed-{recipient}") {
      $0.tags = ["bell"]
      $0.click = "https://app.example/"
    }
    let delivery = Fixtures.delivery(1, title: "Prüfung – 試験 👋\r\n", body: "Zeile 1\nZeile 2")
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    let expected: JSONValue = [
      "topic": "chimed-amina", "sequence_id": "store-1", "title": "Prüfung – 試験 👋\r\n",
      "message": "Zeile 1\nZeile 2",
      "priority": 3, "tags": ["bell"], "click": "https://app.example/",
    ]
    #expect(try received("chimed-amina") == [expected])
  }

  @Test func `H28: the first three actions are buttons that post`() async throws {
    let sink = try sink(topic: "actions")
    var delivery = Fixtures.delivery(1)
    delivery.message = delivery.message.with(details: ActionSample.details(count: 4))
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    let actions = try #require(try received("actions").first?["actions"]?.arrayValue)
    #expect(actions.count == 3)
    #expect(
      actions.first == [
        "action": "http", "label": "A1", "url": "https://x.org/a/1", "method": "POST",
        "clear": true,
      ])
  }

  @Test func `D16: a withdrawal deletes the message from its topic`() async throws {
    let sink = try sink(topic: "chimed-w-{recipient}")
    var delivery = Fixtures.delivery(5)
    delivery.withdraw(at: Fixtures.noon)
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    #expect(
      try received("chimed-w-amina") == [
        ["topic": "chimed-w-amina", "sequence_id": "store-5", "event": "message_delete"]
      ])
  }

  @Test func `a silent delivery makes no sound`() async throws {
    let sink = try sink(topic: "silent") { $0.priority = .high }
    var silent = Fixtures.delivery(1)
    silent.isSilent = true
    var soundless = Fixtures.delivery(2)
    soundless.hints = .noSound
    _ = try await sink.deliver([silent])
    _ = try await sink.deliver([soundless])
    _ = try await sink.deliver([Fixtures.delivery(3)])
    #expect(try received("silent").map { $0["priority"] } == [2, 2, 4])
  }

  @Test func `a body that must not be shown is left out`() async throws {
    var delivery = Fixtures.delivery(1, title: "Title", body: "Private")
    delivery.hints = .previewNever
    _ = try await sink(topic: "preview").deliver([delivery])
    #expect(try received("preview").map { $0["message"] } == ["Title"])
  }

  @Test(arguments: ["x", "ü", "👋"])
  func `a long message is cut between characters`(character: String) async throws {
    let body = String(repeating: character, count: 6_000 / character.utf8.count)
    let topic = "long-\(character.utf8.count)"
    let answers = try await sink(topic: topic).deliver([Fixtures.delivery(1, body: body)])
    #expect(answers.map(\.isDelivered) == [true])
    let message = try #require(try received(topic).first?["message"]?.stringValue)
    #expect((4_080...4_096).contains(message.utf8.count))
    #expect(message.hasSuffix(character + "…"))
  }

  @Test(arguments: [
    ("limited", SinkAnswer.Verdict.retry(after: nil, reason: "429")),
    ("quota", .retry(after: nil, reason: "429")), ("full", .retry(after: nil, reason: "507")),
    ("broken", .retry(after: nil, reason: "500")), ("large", .rejected(reason: "413")),
  ])
  func `a refusal is retried or rejected by its status`(topic: String, verdict: SinkAnswer.Verdict)
    async throws
  {
    let answer = try await sink(topic: topic).deliver([Fixtures.delivery(1)]).first
    #expect(answer?.verdict == verdict)
    #expect(answer?.response?.excerpt.contains("\"error\"") == true)
  }

  @Test func `a refused token is an outage`() async throws {
    let sink = try sink(topic: "refused", token: "tk_other")
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver(Fixtures.deliveries(1...20))
    }
    #expect(
      outage?.description
        == "http://127.0.0.1:\(peer.port): it refuses the access token (401); check \"token\"")
  }

  @Test func `a topic without access does not affect other topics`() async throws {
    let sink = try sink(topic: "{recipient}")
    var deliveries = Fixtures.deliveries(1...3)
    for (index, topic) in ["open-1", "closed", "open-2"].enumerated() {
      deliveries[index].recipient = topic
    }
    let answers = try await sink.deliver(deliveries)
    let reason = "403: publishing to that topic is not permitted; check the access of \"token\""
    #expect(answers.map(\.verdict) == [.delivered, .rejected(reason: reason), .delivered])
  }

  @Test func `without a token, a delivery to a protected topic is rejected`() async throws {
    let answers = try await sink(topic: "open", token: nil).deliver([Fixtures.delivery(1)])
    #expect(answers.first?.reason?.hasPrefix("403: ") == true)
  }

  @Test(arguments: ["a/b", "a b", "ä", "", "a{b", String(repeating: "a", count: 65)])
  func `a recipient's id that fits no topic is rejected`(recipient: String) async throws {
    var delivery = Fixtures.delivery(1)
    delivery.recipient = recipient
    let answers = try await sink(topic: "{recipient}").deliver([delivery])
    #expect(
      answers == [.rejected(reason: "the recipient's id cannot be part of an ntfy topic")])
  }
}
