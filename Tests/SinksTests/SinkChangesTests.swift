import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// Rule S1: comparison of the sinks of two configurations.
@Suite struct SinkChangesTests {
  private let directory: TemporaryDirectory
  private let credentials: Credentials

  init() throws {
    directory = try TemporaryDirectory()
    credentials = Credentials(directory: directory.path)
    try directory.write("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", to: "hook")
    try directory.write("certificates", to: "ca.pem")
  }

  private func specifications(_ text: String) throws -> [SinkSpecification] {
    let root = try #require(try Yams.compose(yaml: text))
    var reader = DeliveryConfigurationReader(file: "f")
    let configuration = reader.read(sinks: root, routes: nil)
    #expect(reader.diagnostics.isEmpty)
    return configuration.sinks.map { $0.specification(credentials: credentials) }
  }

  private func changes(_ old: String, _ new: String) throws -> SinkChanges {
    SinkChanges(from: try specifications(old), to: try specifications(new))
  }

  @Test func `each sink is added, removed, unchanged or changed`() throws {
    let changes = try changes(
      "{a: {type: journal}, b: {type: jsonl, file: x}, c: {type: journal}}",
      "{d: {type: journal}, b: {type: jsonl, file: y}, c: {type: journal}}")
    #expect(changes.unchanged == ["c"] && changes.changed == ["b"])
    #expect(changes.added == ["d"] && changes.removed == ["a"])
    #expect("\(changes)" == "sinks: new d; changed b; gone a")
  }

  @Test(arguments: [
    ("{type: exec, command: /a}", "{type: exec, command: /a, deadline: 15s}"),
    (
      "{type: webhook, url: 'https://a/b', secret: {credential: hook}}",
      "{url: 'HTTPS://A:443/b', type: webhook, secret: [{credential: hook}]}"
    ),
    ("{type: exec, command: /bin/true}", "{type: exec, command: [/bin/true]}"),
  ])
  func `the same settings in another notation are unchanged`(old: String, new: String) throws {
    let changes = try changes("a: \(old)", "a: \(new)")
    #expect(changes.unchanged == ["a"] && "\(changes)" == "")
  }

  @Test(arguments: [
    ("{type: journal}", "{type: stream}"), ("{type: journal}", "{type: journal, rate: 5}"),
    ("{type: exec, command: /bin/true}", "{type: exec, command: /bin/true, memory: 10MB}"),
    (
      "{type: webhook, url: 'https://a/b', secret: {credential: hook}}",
      "{type: webhook, url: 'https://a/c', secret: {credential: hook}}"
    ),
  ])
  func `different settings are a change`(old: String, new: String) throws {
    #expect(try changes("a: \(old)", "a: \(new)").changed == ["a"])
  }

  @Test func `S9: an unavailable sink counts as changed by every reload`() throws {
    var unavailable = try specifications("a: {type: journal}")
    unavailable[0].isUnavailable = true
    let available = try specifications("a: {type: journal}")
    #expect(SinkChanges(from: unavailable, to: available).changed == ["a"])
    #expect(SinkChanges(from: unavailable, to: unavailable).changed == ["a"])
    #expect(SinkChanges(from: available, to: unavailable).changed == ["a"])
  }

  @Test(arguments: ["hook", "ca.pem"])
  func `a sink whose secret or file has other content is changed`(file: String) throws {
    let authority = "ca: \(directory.path)/ca.pem"
    let text = "a: {type: webhook, url: 'https://a/b', secret: {credential: hook}, \(authority)}"
    let original = try specifications(text)
    #expect(SinkChanges(from: original, to: try specifications(text)).unchanged == ["a"])
    try directory.write("another", to: file)
    #expect(SinkChanges(from: original, to: try specifications(text)).changed == ["a"])
  }
}
