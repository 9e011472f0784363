import Cryptography
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// Rule D12: `receipts` in the configuration of a sink.
@Suite struct ReceiptConfigurationTests {
  private func sink(_ receipts: String) throws -> DeliveryConfiguration.DeclaredSink {
    let root = try #require(
      try Yams.compose(yaml: "sinks: {a: {type: journal, receipts: {\(receipts)}}}"))
    var reader = DeliveryConfigurationReader(file: "f")
    let configuration = reader.read(sinks: root["sinks"], routes: nil)
    #expect(reader.diagnostics.map { "\($0)" } == [])
    return try #require(configuration.sinks.first)
  }

  @Test func `D12: paths and words of a service are read`() throws {
    let directory = try TemporaryDirectory()
    try Data("topsecret\n".utf8).write(to: URL(filePath: directory.path + "/s"))
    let sink = try sink(
      """
      from: json, secret: {credential: s}, id: a.0, state: b,
      states: {received: [ok, read], bounced: gone}
      """)
    #expect(sink.credentialNames == ["s"])
    let reader = try #require(
      try sink.serviceReaders(credentials: Credentials(directory: directory.path)).receipts)
    let body = #"[{"a": ["k-1"], "b": "read"}, {"a": [7], "b": "gone"}, {"a": [8], "b": "failed"}]"#
    let content = try reader.content(
      of: ServiceRequest(
        fields: ["authorization": "Bearer topsecret"], body: Array(body.utf8)))
    #expect(content.reports.map { "\($0.delivery) \($0.state)" } == ["k-1 received", "7 bounced"])
  }

  @Test(
    arguments: [
      "from: sendgrid, secret: {credential: s}", "from: ses, secret: {credential: t}",
      "from: twilio, url: \"https://a.example/x\", secret: {credential: t}",
    ])
  func `S9: a sink with a wrong or missing secret of receipts cannot be made`(
    receipts: String
  ) throws {
    let directory = try TemporaryDirectory()
    try Data("topsecret".utf8).write(to: URL(filePath: directory.path + "/s"))
    let sink = try sink(receipts)
    #expect(throws: SinkCreationError.self) {
      try sink.check(credentials: Credentials(directory: directory.path))
    }
  }

  @Test func `D14: paths of a service's replies are read`() throws {
    let directory = try TemporaryDirectory()
    try Data("topsecret".utf8).write(to: URL(filePath: directory.path + "/s"))
    let root = try #require(
      try Yams.compose(
        yaml: """
          sinks:
            a:
              type: journal
              replies: {from: json, secret: {credential: s}, sender: a.b, id: c, help: Call us.}
          """))
    var reader = DeliveryConfigurationReader(file: "f")
    let sink = try #require(reader.read(sinks: root["sinks"], routes: nil).sinks.first)
    #expect(reader.diagnostics.map { "\($0)" } == [])
    #expect(sink.credentialNames == ["s"] && sink.common.replies?.help == "Call us.")
    let replies = try #require(
      try sink.serviceReaders(credentials: Credentials(directory: directory.path)).replies)
    let reply = try replies.reply(
      in: ServiceRequest(
        fields: ["authorization": "Bearer topsecret"],
        body: Array(#"{"a": {"b": "+32"}, "text": "ok", "c": 1}"#.utf8)))
    #expect(reply == ServiceReply(sender: "+32", text: "ok", id: "1"))
  }

  @Test func `a sink without the key has no reader`() throws {
    let configuration = DeliveryConfiguration(single: JournalConfiguration())
    let sink = try #require(configuration.sinks.first)
    let readers = try sink.serviceReaders(credentials: Credentials(directory: nil))
    #expect(readers.receipts == nil && readers.replies == nil)
  }
}
