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

/// The sink with request templates. No delivery can change the structure of a request.
@Suite struct HTTPSinkTests {
  private static let peer = Result { try PythonPeer("http_peer.py") }

  private let peer: PythonPeer
  private let directory: TemporaryDirectory

  init() throws {
    peer = try Self.peer.get()
    directory = try TemporaryDirectory()
    try directory.write("T0KEN\n", to: "key")
    try directory.write("user:pa ss\n", to: "login")
  }

  private func sink(_ path: String, _ lines: [String] = []) throws -> any Sink {
    try HTTPSinkFixtures.sink(
      ["url: 'http://127.0.0.1:\(peer.port)/\(path)'", "allow: 127.0.0.0/8"] + lines,
      in: Surroundings.make(credentials: directory.path, now: Fixtures.noon))
  }

  private func received(_ path: String) throws -> [JSONValue] {
    try peer.received.filter { $0["path"]?.stringValue?.hasPrefix("/" + path) == true }
  }

  private static let hostileText = "\"}&b=1 ../?#<i>\r\nX: y%00 \u{2028}ü"

  @Test func `a value in JSON stays one string`() async throws {
    let sink = try sink("ok?json", ["body: '{\"text\": \"{{title}}: {{body}}\"}'"])
    let delivery = Fixtures.delivery(1, title: Self.hostileText, body: "\\")
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    let request = try #require(try received("ok?json").first)
    let body = try JSONParser().parse(request["body"]?.stringValue ?? "")
    #expect(body == ["text": .string(Self.hostileText + ": \\")])
    #expect(request["fields"]?["content-type"] == "application/json")
    #expect(request["fields"]?["user-agent"] == "chimed")
  }

  @Test func `a form keeps its parameters`() async throws {
    let sink = try sink(
      "ok?form",
      [
        "headers: {Content-Type: application/x-www-form-urlencoded}",
        "body: 'a={{title}}&b={{id}}'",
      ])
    _ = try await sink.deliver([Fixtures.delivery(1, title: Self.hostileText)])
    let body = try #require(try received("ok?form").first?["body"]?.stringValue)
    #expect(body.split(separator: "&").map { $0.prefix { $0 != "=" } } == ["a", "b"])
    #expect(body.hasSuffix("&b=store-1"))
    #expect(body.removingPercentEncoding?.contains(Self.hostileText) == true)
  }

  @Test func `a URL keeps its path and its parameters`() async throws {
    let sink = try sink("ok/{{title}}?q={{body}}", ["method: PUT"])
    _ = try await sink.deliver([Fixtures.delivery(1, title: "a/b?c", body: "x&y=z")])
    #expect(try received("ok/a%2Fb%3Fc?q=x%26y%3Dz").count == 1)
    let answers = try await sink.deliver([Fixtures.delivery(2, title: "..")])
    #expect(answers.first?.reason == "url cannot have \".\" or \"..\" for a value")
  }

  @Test func `a value cannot end its header field`() async throws {
    let sink = try sink("ok?header", ["headers: {X-Title: '{{title}}'}", "body: '{}'"])
    _ = try await sink.deliver([Fixtures.delivery(1, title: "a\r\nX-Evil: b")])
    let fields = try #require(try received("ok?header").first?["fields"])
    #expect(fields["x-evil"] == nil)
    #expect(fields["x-title"] == "a  X-Evil: b")
  }

  @Test func `secrets are shown only to the service`() async throws {
    let sink = try sink(
      "echo?secret",
      [
        "headers: {X-Key: '{{key}}'}", "body: '{\"key\": \"{{key}}\"}'",
        "secrets: {key: {credential: key}}", "basic: {credential: login}",
      ])
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    let fields = try #require(try received("echo?secret").first?["fields"])
    #expect(fields["x-key"] == "T0KEN")
    #expect(fields["authorization"] == "Basic dXNlcjpwYSBzcw==")
    #expect(answers.first?.response?.excerpt == "{\"key\": \"*****\"}")
    #expect(!"\(answers)\(sink)".contains("T0KEN"))
  }

  @Test(arguments: [
    ("secrets: {key: {credential: key}}", "t0ken", "*****"),
    ("secrets: {key: {credential: key}}", "%54&#48;KEN", "***********"),
    ("basic: {credential: login}", "dXNlcjpwYSBzcw==", "****************"),
    ("basic: {credential: login}", "dXNlcjpwYSBzcw%3D%3d", "********************"),
    ("basic: {credential: login}", "user%3Apa+ss", "************"),
    ("basic: {credential: login}", "pa ss, user", "*****, user"),
    ("basic: {credential: login}", "pa%20ss", "*******"),
  ])
  func `a secret is hidden in whatever form it is repeated`(
    setting: String, form: String, shown: String
  ) async throws {
    let sink = try sink(
      "echo?form", ["headers: {Content-Type: text/plain}", "body: '{{title}}'", setting])
    let answer = try await sink.deliver([Fixtures.delivery(1, title: "<\(form)>")]).first
    #expect(answer?.response?.excerpt == "<\(shown)>")
  }

  @Test func `the trace context is passed on`() async throws {
    let sink = try sink("ok?trace", ["body: '{}'"])
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    var delivery = Fixtures.delivery(1)
    delivery.message = Message(
      reminder: "note", category: "NOTE", title: "t", body: "b",
      trace: TraceContext(parent: parent, state: "a=b"))
    _ = try await sink.deliver([delivery])
    let fields = try #require(try received("ok?trace").first?["fields"])
    #expect(fields["traceparent"] == .string(parent))
    #expect(fields["tracestate"] == "a=b")
  }

  @Test func `a recipient without a required phone number is rejected`() async throws {
    let lines = ["body: '{\"to\": \"{{phone}}\"}'"]
    let answers = try await sink("ok?phone", lines).deliver([Fixtures.delivery(1)])
    #expect(answers.first?.reason == "phone is not known for this recipient")
    let optional = ["body: '{\"to\": \"{{#phone}}{{phone}}{{/phone}}\"}'"]
    let accepted = try await sink("ok?phone", optional).deliver([Fixtures.delivery(1)])
    #expect(accepted.map(\.isDelivered) == [true])
    #expect(try sink("ok", lines).needsAddressee)
    #expect(try !sink("ok").needsAddressee)
  }

  @Test func `details are available by name`() async throws {
    let sink = try sink(
      "ok?details", ["body: '{\"room\": \"{{details.deepLink.room}}\", \"n\": {{details.n}}}'"])
    var delivery = Fixtures.delivery(1)
    delivery.message = delivery.message.with(details: #"{"deepLink":{"room":"a\"b"},"n":7}"#)
    _ = try await sink.deliver([delivery])
    let body = try #require(try received("ok?details").first?["body"]?.stringValue)
    #expect(try JSONParser().parse(body) == ["room": "a\"b", "n": 7])
  }

  private static let rejectedBody = "rejected 200, but without the text of \"contains\""
  private static let brokenOff = "200, but its body broke off before the text of \"contains\""

  @Test(arguments: [
    ("status/201", [], "delivered"), ("status/404", [], "rejected 404"),
    ("status/404", ["delivered: 404"], "delivered"),
    ("status/409", ["delivered: [404, 409-410]"], "delivered"),
    ("status/400", ["retry: 400"], "retry 400"),
    ("status/429/Retry-After:_7", [], "retry 429 after 7s"),
    ("status/503", ["rejected: 500-599"], "rejected 503"),
    ("status/401", ["rejected: [401]"], "rejected 401"),
    ("ok", ["contains: ok"], "delivered"),
    ("ok", ["contains: fine"], "rejected 200, but without the text of \"contains\""),
    ("ok", ["contains: fine", "retry-when: [no, ok]"], "retry 200, with \"ok\""),
    ("ok", ["contains: fine", "retry-when: no"], rejectedBody),
    ("ok", ["retry-when: ok"], "delivered"),
    ("status/400", ["retry-when: '{'"], "retry 400, with \"{\""),
    ("gzip", ["contains: all is fine"], "delivered"),
    ("redirect", [], "rejected 307: redirects are not followed"),
    ("reset-in-body", ["contains: half"], "delivered"), ("drip", ["deadline: 300ms"], "delivered"),
    ("reset-in-body", ["contains: fine"], "retry \(brokenOff)"),
    ("drip", ["contains: fine", "deadline: 300ms"], "retry \(brokenOff)"),
    ("long", ["contains: fine"], "rejected 200, but without the text of \"contains\""),
    ("cut-at-4-kB", ["contains: fine"], "rejected 200, but without the text of \"contains\""),
  ])
  func `D2: answers mean what the configuration declares`(
    path: String, lines: [String], meaning: String
  ) async throws {
    let answer = try #require(
      try await sink(path, ["body: '{}'"] + lines).deliver([Fixtures.delivery(1)]).first)
    let text =
      switch answer.verdict {
      case .delivered: "delivered"
      case .retry(nil, let reason): "retry \(reason)"
      case .retry(let after?, let reason): "retry \(reason) after \(after)"
      case .rejected(let reason): "rejected \(reason)"
      }
    #expect(text == meaning)
  }

  @Test func `responses are requested without compression`() async throws {
    _ = try await sink("ok?plain", ["body: '{}'"]).deliver([Fixtures.delivery(1)])
    #expect(try received("ok?plain").first?["fields"]?["accept-encoding"] == "identity")
  }

  @Test func `a refused secret is an outage`() async throws {
    let sink = try sink("status/401", ["body: '{}'"])
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver([Fixtures.delivery(1)])
    }
    #expect(outage?.description.contains("check the secrets") == true)
  }

  @Test(arguments: [
    ("status/401?to={{recipient}}&text={{title}}", true), ("status/401?id={{id}}", true),
    ("status/401/X-Id:_{{id}}-{{channel}}", true), ("status/401/X-For:_{{locale}}", true),
    ("status/401/X-For:_{{recipient}}", false), ("status/401/X-For:_{{category}}", false),
    ("status/401/X-For:_{{email}}", false), ("status/401/X-For:_{{reminder}}", false),
    ("status/401/X-For:_{{#details}}{{details.room}}{{/details}}", false),
  ])
  func `D3: a refusal of one recipient does not stop the others`(path: String, stopsAll: Bool)
    async throws
  {
    let sink = try sink(path, ["body: '{}'"])
    var delivery = Fixtures.delivery(1)
    delivery.addressee = Addressee(zone: "UTC", locale: "en", email: "amina@example.org")
    let answers = try? await sink.deliver([delivery])
    #expect((answers == nil) == stopsAll)
    guard let answer = answers?.first else { return }
    guard case .retry(nil, let reason) = answer.verdict else {
      Issue.record("\(answer.verdict)")
      return
    }
    #expect(reason.contains("401"))
  }

  @Test func `D2: a refusal of one recipient is retried after the requested time`() async throws {
    let sink = try sink("status/401/Retry-After:_7/X-For:_{{recipient}}", ["body: '{}'"])
    let answer = try await sink.deliver([Fixtures.delivery(1)]).first
    guard case .retry(.seconds(7), _) = answer?.verdict else {
      Issue.record("\(String(describing: answer))")
      return
    }
  }

  @Test func `a refusal may depend on a header about the recipient`() async throws {
    let sink = try sink("status/401", ["headers: {X-User: '{{recipient}}'}", "body: '{}'"])
    #expect(try await sink.deliver([Fixtures.delivery(1)]).map(\.isDelivered) == [false])
  }
}
