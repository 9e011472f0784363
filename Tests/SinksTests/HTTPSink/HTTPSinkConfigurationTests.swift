import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import TestSupport
import Testing
import Yams

/// The configuration of sinks with request templates, and the services of the examples.
@Suite struct HTTPSinkConfigurationTests {
  @Test(arguments: [
    ("", "needs \"url\""),
    ("url: 'ftp://a.example'", "url must begin with https"),
    ("url: 'https://{{recipient}}.example/'", "url has a placeholder before its path"),
    ("url: 'https://a.example@{{recipient}}/'", "url has a placeholder before its path"),
    ("url: 'https://a.example/{{recipint}}'", "url has {{recipint}}, which is unknown"),
    ("url: 'https://a.example', body: '{{{title}}}'", "body has {{{title}}; it can have"),
    ("url: 'https://a.example', body: '{{&title}}'", "body has {{&title}}; it can have"),
    ("url: 'https://a.example', body: '{{> other}}'", "body has {{> other}}; it can have"),
    ("url: 'https://a.example', body: '{{#body}}x'", "body is not valid mustache"),
    ("url: 'https://a.example', body: '{{title'", "body has \"{{\" without"),
    ("url: 'https://a.example', headers: {Host: b}", "headers has \"Host\""),
    ("url: 'https://a.example', headers: {'a b': c}", "headers has \"a b\""),
    ("url: 'https://a.example', headers: {Content-Type: image/png}", "values cannot be encoded"),
    ("url: 'https://a.example', method: DELETE", "method must be one of GET, POST, PUT, PATCH"),
    ("url: 'https://a.example', retry: [99]", "retry has \"99\""),
    ("url: 'https://a.example', retry: ['500-']", "retry has \"500-\""),
    ("url: 'https://a.example', retry-when: ['']", "an entry of retry-when must be a text"),
    ("url: 'https://a.example', proxy: 'socks5://p'", "proxy must begin with https:// or http://"),
    ("url: 'https://a.example', proxy: 'http://p/x'", "proxy must be http://HOST:PORT or"),
    ("url: 'https://a.example', secrets: {key: abc}", "key must be {credential: NAME}"),
    (
      "url: 'https://a.example', secrets: {title: {credential: k}}",
      "secrets has \"title\", which every delivery has"
    ),
  ])
  func `a faulty sink is reported with its reason`(settings: String, fault: String) throws {
    let (_, faults) = try HTTPSinkFixtures.read("sinks:\n  a: {type: http, \(settings)}\n")
    #expect(faults.contains { $0.contains(fault) }, "\(faults)")
  }

  private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
  private static let example = Result {
    try String(contentsOfFile: root + "/config/examples/services.yaml", encoding: .utf8)
  }
  private static let secrets = [
    "sms": "user:pass", "sms-account": "AC1", "slack": "xoxb-1", "matrix": "syt_1",
    "matrix-room": "!a:matrix.org",
  ]

  @Test(arguments: [
    (
      "sms", "https://api.twilio.com",
      "/ok/2010-04-01/Accounts/AC1/Messages.json Basic dXNlcjpwYXNz "
        + "To=%2B4915550100&From=%2B15550100&Body=Day%20%222%22%0AGo%20%26%20read"
    ),
    (
      "slack", "https://slack.com",
      "/ok/api/chat.postMessage Bearer xoxb-1 "
        + ##"{"channel": "#reminders", "blocks": [{"type": "section", "text": "##
        + ##"{"type": "plain_text", "text": "Day \"2\"\nGo & read"}}]}"##
    ),
    (
      "matrix", "https://matrix.org",
      "/ok/_matrix/client/v3/rooms/%21a:matrix.org/send/m.room.message/store-1-push Bearer syt_1 "
        + #"{"msgtype": "m.text", "body": "Day \"2\"\nGo & read", "m.mentions": {}}"#
    ),
  ])
  func `the example sends what its service accepts`(
    name: String, host: String, request: String
  ) async throws {
    let peer = try PythonPeer("http_peer.py")
    let sink = try Self.sink(name, host, at: "http://127.0.0.1:\(peer.port)/ok")
    _ = try await sink.deliver([Self.delivery])
    let receivedRequest = try #require(try peer.received.first)
    let parts = [
      receivedRequest["path"], receivedRequest["fields"]?["authorization"], receivedRequest["body"],
    ]
    #expect(parts.compactMap { $0?.stringValue }.joined(separator: " ") == request)
  }

  @Test func `H28: a text message of the example has one link to the page of its actions`()
    async throws
  {
    let peer = try PythonPeer("http_peer.py")
    let sink = try Self.sink(
      "sms", "https://api.twilio.com", at: "http://127.0.0.1:\(peer.port)/ok")
    let message = Message(
      reminder: "dose", category: "DOSE", title: "Iron", body: "Take it.",
      details: #"{"actions":[{"id":"taken","title":"Taken"},{"id":"later","title":"Later"}]}"#)
    for page in ["https://x.example/a/AbC_-1", nil] {
      var delivery = Self.delivery
      delivery.message = message.linked { $0.isEmpty ? page : "https://x.example/a/\($0)" }
      _ = try await sink.deliver([delivery])
    }
    #expect(
      try peer.received.map { $0["body"]?.stringValue } == [
        "To=%2B4915550100&From=%2B15550100&Body=Iron%0ATake%20it."
          + "%0Ahttps:%2F%2Fx.example%2Fa%2FAbC_-1",
        "To=%2B4915550100&From=%2B15550100&Body=Iron%0ATake%20it.",
      ])
  }

  @Test(arguments: [
    ("sms", "https://api.twilio.com"), ("slack", "https://slack.com"),
    ("matrix", "https://matrix.org"),
  ])
  func `D3: a revoked secret is an outage of the example's sink`(
    name: String, host: String
  ) async throws {
    let peer = try PythonPeer("http_peer.py")
    let sink = try Self.sink(name, host, at: "http://127.0.0.1:\(peer.port)/unauthorized")
    await #expect(throws: SinkOutage.self) { try await sink.deliver([Self.delivery]) }
  }

  @Test func `D2: Slack's transient errors are retried, its refusals are not`() async throws {
    let peer = try PythonPeer("http_peer.py")
    let sink = try Self.sink("slack", "https://slack.com", at: "http://127.0.0.1:\(peer.port)/said")
    var answers: [SinkAnswer] = []
    for error in ["internal_error", "ratelimited", "channel_not_found"] {
      // The peer repeats the title in its answer.
      let body = #"{"ok":false,"error":""# + error + #""}"#
      answers += try await sink.deliver([Fixtures.delivery(1, title: body)])
    }
    #expect(answers.map(\.isRetry) == [true, true, false])
    #expect(answers.map(\.isRejected) == [false, false, true])
    #expect(answers.first?.reason == "200, with \"internal_error\"")
  }

  private static let delivery = {
    var delivery = Fixtures.delivery(1, title: "Day \"2\"", body: "Go & read")
    delivery.addressee = Addressee(zone: "UTC", phone: "+4915550100")
    return delivery
  }()

  /// Creates a sink of the example, with `address` in place of the service's origin.
  private static func sink(
    _ name: String, _ host: String, at address: String
  ) throws -> any Sink {
    let directory = try TemporaryDirectory()
    for (name, secret) in secrets { try directory.write(secret, to: name) }
    let yaml = try example.get().replacing(host, with: address)
      .replacing("    type: http\n", with: "    type: http\n    allow: 127.0.0.0/8\n")
    let (declared, faults) = try HTTPSinkFixtures.read(yaml, name)
    #expect(faults == [])
    return try #require(declared).make(in: Surroundings.make(credentials: directory.path))
  }
}
