import Cryptography
import Foundation
import Outbox
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// The configuration of sinks for webhooks and ntfy.
@Suite struct WebhookConfigurationTests {
  private func read(_ sink: String) throws -> (sinks: Int, faults: [String]) {
    let file = try #require(try Yams.compose(yaml: "sinks:\n  a: {\(sink)}\n"))
    var reader = DeliveryConfigurationReader(file: "f")
    let configuration = reader.read(sinks: file["sinks"], routes: nil)
    return (configuration.sinks.count, reader.diagnostics.map { "\($0)" })
  }

  @Test(arguments: [
    "type: webhook, url: 'https://hooks.example/a', secret: {credential: key}",
    "type: webhook, url: 'https://h.example', secret: [{credential: old}, {credential: new}], "
      + "allow: [127.0.0.0/8, '::1/128'], ca: /etc/ca.pem, source: /staging, concurrency: 8, "
      + "retry-4xx: 1h, proxy: 'http://proxy.example:3128'",
    "type: ntfy, topic: chimed",
    "type: ntfy, topic: 'chimed-{recipient}', server: 'https://ntfy.example', "
      + "token: {credential: token}, priority: high, tags: [bell], click: 'https://a.example/'",
  ])
  func `a valid sink is read`(sink: String) throws {
    let (sinks, faults) = try read(sink)
    #expect(faults == [])
    #expect(sinks == 1)
  }

  @Test(arguments: [
    ("type: webhook", "needs \"url\""),
    ("type: webhook, url: 'ftp://a.example', secret: {credential: k}", "url must begin with http"),
    ("type: webhook, url: 'https://u:p@a.example', secret: {credential: k}", "url must not name"),
    ("type: webhook, url: 'https://a.example', secret: whsec_abc", "must be {credential: NAME}"),
    (
      "type: webhook, url: 'https://a.example', secret: {credential: k}, allow: 10.0.0.1/8",
      "allow has \"10.0.0.1/8\", which is not a network"
    ),
    (
      "type: webhook, url: 'https://a.example', secret: {credential: k}, source: 'a b'",
      "source must be a URL or a path"
    ),
    (
      "type: webhook, url: 'https://a.example', secret: {credential: k}, retry-4xx: 8d",
      "retry-4xx must be from 0s to 7d"
    ),
    ("type: ntfy, topic: 'a/b'", "topic must be at most 64 letters"),
    ("type: ntfy, topic: a, priority: urgent", "priority must be one of low, normal, high"),
  ])
  func `a faulty sink is reported`(sink: String, fault: String) throws {
    let (_, faults) = try read(sink)
    #expect(faults.contains { $0.contains(fault) }, "\(faults)")
  }

  @Test(arguments: [
    "", "whsec_", "abc", "whsec_abc", "WHSEC_" + base64(32), "whsec_" + base64(23),
    "whsec_" + base64(65), "whsec_" + base64(32) + "!", base64(32), "whpk_" + base64(32),
  ])
  func `an invalid secret is refused`(text: String) {
    #expect(WebhookSecret(Secret(text)) == nil)
  }

  @Test func `a credential without a secret is reported without showing it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("T0KEN", to: "key")
    let configuration = WebhookConfiguration(
      url: try HTTPURL("https://a.example/"), secrets: ["key"])
    let error = #expect(throws: WebhookSecret.SecretError.self) {
      try configuration.check(credentials: Credentials(directory: directory.path))
    }
    #expect(error?.description.hasPrefix("the credential \"key\" holds no webhook secret") == true)
    #expect(error?.description.contains("T0KEN") == false)
  }

  private static func base64(_ count: Int) -> String {
    Data(repeating: 1, count: count).base64EncodedString()
  }
}
