import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// The configuration of sinks for phones.
@Suite struct PushConfigurationTests {
  private static let fcm = ["type": "fcm", "account": "{credential: firebase}"]
  private static let apns = [
    "type": "apns", "key": "{credential: apple}", "key-id": "KEY1234567",
    "team-id": "TEAM123456", "topic": "com.example.app",
  ]

  @Test func `the required settings are enough`() throws {
    for settings in [Self.fcm, Self.apns] {
      let (delivery, diagnostics) = try PushStage.read(settings)
      #expect(diagnostics == [])
      #expect(delivery.sinks.first?.requirement == .device)
    }
  }

  static let mistakes: [([String: String], String)] = [
    (["type": "fcm"], "\"account\""),
    (fcm.merging(["account": "secret"]) { $1 }, "account must be {credential: NAME}"),
    (
      fcm.merging(["platforms": "[android, symbian]"]) { $1 },
      "platforms must be some of android, ios, web"
    ),
    (fcm.merging(["platforms": "[]"]) { $1 }, "platforms must be some of"),
    (fcm.merging(["project": "a/b"]) { $1 }, "project must be of letters"),
    (fcm.merging(["endpoint": "http://localhost"]) { $1 }, "endpoint must be an https URL"),
    (fcm.merging(["endpoint": "https://localhost/v1"]) { $1 }, "endpoint must be an https URL"),
    (apns.merging(["topic": "\"a b\""]) { $1 }, "topic must be of letters"),
    (apns.merging(["key-id": "\"a\\r\\nb\""]) { $1 }, "key-id must be of letters"),
    (apns.merging(["environment": "test"]) { $1 }, "environment must be production or sandbox"),
    (apns.merging(["sandbox": "true"]) { $1 }, "sandbox"),
  ]

  @Test(arguments: mistakes)
  func `a faulty setting is reported`(settings: [String: String], excerpt: String) throws {
    let (_, diagnostics) = try PushStage.read(settings)
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.description.contains(excerpt) == true, "\(diagnostics)")
  }

  static let accounts: [(String, String)] = [
    ("{", "is not JSON"), (#"{"type":"authorized_user"}"#, "is not a service account"),
    (#"{"type":"service_account"}"#, "has no \"project_id\""),
    (
      #"{"type":"service_account","project_id":"p","client_email":"e","token_uri":"http://x"}"#,
      "\"token_uri\" is not an https URL"
    ),
    (
      #"{"type":"service_account","project_id":"p","client_email":"e","token_uri":"https://x/t","#
        + #""private_key_id":"k","private_key":"HUSH"}"#, "\"private_key\" is not an RSA key"
    ),
  ]

  @Test(arguments: accounts)
  func `a credential that is no service account is reported`(text: String, excerpt: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "firebase")
    let (delivery, _) = try PushStage.read(Self.fcm)
    let flaw = #expect(throws: SinkCreationError.self) {
      try delivery.sinks.first?.check(credentials: Credentials(directory: directory.path))
    }
    #expect(flaw?.description.contains(excerpt) == true)
    #expect(flaw?.description.contains("HUSH") == false)
  }

  @Test func `a credential that is no key is reported`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("HUSH", to: "apple")
    let (delivery, _) = try PushStage.read(Self.apns)
    let flaw = #expect(throws: SinkCreationError.self) {
      try delivery.sinks.first?.check(credentials: Credentials(directory: directory.path))
    }
    #expect(flaw?.description.contains("is not an APNs key; give the .p8 file") == true)
    #expect(flaw?.description.contains("HUSH") == false)
  }

  @Test func `a file without certificates is reported`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("HUSH", to: "trust.pem")
    try directory.run("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out apple")
    let path = directory.path + "/trust.pem"
    let (delivery, _) = try PushStage.read(Self.apns.merging(["trust": path]) { $1 })
    let flaw = #expect(throws: SinkCreationError.self) {
      try delivery.sinks.first?.check(credentials: Credentials(directory: directory.path))
    }
    #expect(
      flaw?.description.hasSuffix("the certificates in \(path) cannot be read; give PEM") == true)
  }

  @Test(arguments: [
    ("https://a.example", "a.example", 443, "/"),
    ("https://a.example:8443/", "a.example", 8_443, "/"),
    ("https://[::1]:99/token?x=1", "::1", 99, "/token?x=1"), ("https://a?x", "a", 443, "/?x"),
  ])
  func `a URL is split into origin and path`(url: String, host: String, port: Int, path: String)
    throws
  {
    let target = try #require(ExchangeTarget(url))
    #expect(target.origin == ExchangeOrigin(host: host, port: port))
    #expect(target.path == path)
  }

  @Test(arguments: [
    "http://a", "https://", "https://a:0", "https://a:99999", "https://a:+443", "https://user@a",
    "https://a/#b", "https://a b", "https://::1", "https://a/\r\nb", "ftp://a", "",
  ])
  func `an invalid URL is refused`(url: String) {
    #expect(ExchangeTarget(url) == nil)
  }
}
